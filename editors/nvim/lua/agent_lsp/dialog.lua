-- A float that the user asked for: some lines, and keys that do something. Leaving it decides nothing.

local M = {}

---@class agent_lsp.Dialog
---@field title string
---@field lines string[]
---@field hint string
---@field first_line? integer of what is chosen from: the cursor is there
---@field filetype? string
---@field keys table<string, fun(line: integer)> each closes the float first; the line that the cursor was on, from 1

---@param text string
---@param width integer
---@return string
local function cut(text, width)
  if vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  while vim.fn.strdisplaywidth(text) >= width do
    text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 1)
  end
  return text .. '…'
end

---@param lines string[]
---@return integer
local function widest(lines)
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  return width
end

---@param window integer
---@param options table<string, any>
local function set(window, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { win = window, scope = 'local' })
  end
end

---As many rows as the lines take, wrapped as they are, or as there are.
---@param window integer
local function fit(window)
  local rows = vim.api.nvim_win_text_height(window, {}).all
  local height = math.max(math.min(rows, vim.o.lines - 6), 1)
  vim.api.nvim_win_set_config(window, {
    relative = 'editor',
    row = math.max(math.floor((vim.o.lines - height) / 2) - 2, 0),
    col = math.max(math.floor((vim.o.columns - vim.api.nvim_win_get_width(window)) / 2) - 1, 0),
    height = height,
  })
end

---@param buffer integer
---@param dialog agent_lsp.Dialog
---@return integer
local function open_window(buffer, dialog)
  local wanted = math.max(widest(dialog.lines), vim.fn.strdisplaywidth(dialog.hint) + 1, 30) + 3
  local width = math.max(math.min(wanted, vim.o.columns - 4, 100), 10)
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = 'editor',
    row = 0,
    col = 0,
    width = width,
    height = math.max(math.min(#dialog.lines, vim.o.lines - 6), 1),
    style = 'minimal',
    border = 'rounded',
    title = { { (' %s '):format(cut(dialog.title, width - 4)), 'AgentWaiting' } },
    footer = { { (' %s '):format(cut(dialog.hint, width - 4)), 'AgentHint' } },
  })
  set(window, {
    wrap = true,
    linebreak = true,
    foldcolumn = '1',
    cursorline = dialog.first_line ~= nil,
    winhighlight = 'FoldColumn:NormalFloat,CursorLineFold:CursorLine',
  })
  vim.api.nvim_win_set_cursor(window, { dialog.first_line or 1, 0 })
  fit(window)
  return window
end

---@param dialog agent_lsp.Dialog
function M.open(dialog)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, dialog.lines)
  vim.bo[buffer].modifiable = false
  if dialog.filetype then
    vim.bo[buffer].filetype = dialog.filetype
  end
  local window = open_window(buffer, dialog)
  local function map(key, action)
    vim.keymap.set('n', key, function()
      local line = vim.api.nvim_win_get_cursor(0)[1]
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_close(window, true)
      end
      if action then
        action(line)
      end
    end, { buffer = buffer, nowait = true })
  end
  map('q')
  map('<Esc>')
  for key, action in pairs(dialog.keys) do
    map(key, action)
  end
end

return M
