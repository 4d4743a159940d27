-- A float that the user asked for: some lines, and keys that do something. Leaving it decides nothing.

local M = {}

---@class agent_lsp.Dialog
---@field title string
---@field lines string[]
---@field hint string
---@field filetype? string
---@field keys table<string, fun()> each closes the float first

---@param lines string[]
---@return integer
local function widest(lines)
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  return width
end

---@param buffer integer
---@param dialog agent_lsp.Dialog
---@return integer
local function open_window(buffer, dialog)
  local width = math.min(math.max(widest(dialog.lines), #dialog.hint, 30) + 2, vim.o.columns - 6)
  local height = math.min(#dialog.lines, vim.o.lines - 8)
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = 'editor',
    row = math.max(math.floor((vim.o.lines - height) / 2) - 2, 0),
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = math.max(height, 1),
    style = 'minimal',
    border = 'rounded',
    title = (' %s '):format(dialog.title),
    footer = (' %s '):format(dialog.hint),
  })
  vim.api.nvim_set_option_value('wrap', true, { win = window, scope = 'local' })
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
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_close(window, true)
      end
      if action then
        action()
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
