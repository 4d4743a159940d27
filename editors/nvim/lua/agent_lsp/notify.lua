-- The one way in which this plugin speaks outside of its own windows: one line that fits, and asks for no Enter.

local M = {}

---A text without line breaks.
---@param text string
---@return string
function M.flat(text)
  return vim.trim((text:gsub('%s+', ' ')))
end

---@param text string
---@return string
function M.one_line(text)
  local line = M.flat(text)
  local most = math.max(vim.v.echospace - 1, 20)
  if vim.fn.strdisplaywidth(line) <= most then
    return line
  end
  local length = vim.fn.strchars(line)
  while vim.fn.strdisplaywidth(vim.fn.strcharpart(line, 0, length)) > most - 1 do
    length = length - 1
  end
  return vim.fn.strcharpart(line, 0, length) .. '…'
end

---@param line string
---@param level integer
local function say(line, level)
  -- A message below one that has not been drawn yet would scroll, and ask for Enter.
  if #vim.api.nvim_list_uis() > 0 then
    vim.cmd.redraw()
  end
  vim.notify(line, level)
end

---@param text string
---@param level integer
local function later_or_now(text, level)
  local line = M.one_line(text)
  if vim.fn.mode():sub(1, 1) ~= 'c' then
    return say(line, level)
  end
  -- Somebody is writing a command: it is not to be written over.
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    once = true,
    callback = vim.schedule_wrap(function()
      say(line, level)
    end),
  })
end

---@param text string
function M.tell(text)
  later_or_now(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  later_or_now(text, vim.log.levels.WARN)
end

---A `window/showMessage` of the server's.
---@param text string
---@param kind integer 1 error, 2 warning, 3 information, 4 log
function M.show(text, kind)
  local levels = vim.log.levels
  later_or_now(text, ({ levels.ERROR, levels.WARN })[kind] or levels.INFO)
end

return M
