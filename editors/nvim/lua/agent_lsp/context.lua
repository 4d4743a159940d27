-- What the user has before them: told to the server a moment after it changed, and attached where the user asks for it.

local positions = require('agent_lsp.positions')
local server = require('agent_lsp.server')

local M = {}

local DELAY_MS = 200

local timer ---@type uv.uv_timer_t?
local last_file ---@type integer? the window of a file that the cursor was last in
local told ---@type agent_lsp.EditorContextParams?

---@param window integer
---@return boolean
local function shows_file(window)
  return server.is_file(vim.api.nvim_win_get_buf(window))
end

---@param window integer
---@return agent_lsp.Range
local function visible_range(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  return positions.lines(buffer, vim.fn.line('w0', window), vim.fn.line('w$', window))
end

---@param window integer
---@return agent_lsp.Range
local function selection(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  local cursor = vim.api.nvim_win_get_cursor(window)
  local here = positions.position(buffer, cursor[1] - 1, cursor[2])
  local mode = vim.fn.mode()
  if window ~= vim.api.nvim_get_current_win() or not mode:match('^[vV\22]') then
    return { start = here, ['end'] = here }
  end
  local first, last = vim.fn.getpos('v'), vim.fn.getpos('.')
  if first[2] > last[2] or (first[2] == last[2] and first[3] > last[3]) then
    first, last = last, first
  end
  if mode == 'V' then
    return positions.lines(buffer, first[2], last[2])
  end
  return {
    start = positions.position(buffer, first[2] - 1, first[3] - 1),
    ['end'] = positions.position(buffer, last[2] - 1, last[3]),
  }
end

---@return agent_lsp.EditorContextParams
local function snapshot()
  local visible, tabs = {}, {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if shows_file(window) then
      local uri = vim.uri_from_bufnr(vim.api.nvim_win_get_buf(window))
      table.insert(visible, { uri = uri, ranges = { visible_range(window) } })
    end
  end
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buffer].buflisted and server.is_file(buffer) then
      table.insert(tabs, vim.uri_from_bufnr(buffer))
    end
  end
  local active ---@type agent_lsp.ActiveEditor?
  local window = last_file
  if window and vim.api.nvim_win_is_valid(window) and shows_file(window) then
    active = { uri = vim.uri_from_bufnr(vim.api.nvim_win_get_buf(window)), selection = selection(window) }
  end
  local terminals = require('agent_lsp.terminals').list()
  return { visible = visible, active = active, openTabs = tabs, terminals = terminals }
end

---Say what is true now, unless that was said.
function M.tell()
  if not server.client() then
    return
  end
  local now = snapshot()
  if not vim.deep_equal(now, told) then
    told = now
    server.tell('agent/editorContext', now)
  end
end

---A server that was started anew knows nothing.
function M.forget()
  told = nil
  M.tell()
end

function M.soon()
  local window = vim.api.nvim_get_current_win()
  if shows_file(window) then
    last_file = window
  end
  if timer or not server.client() then
    return
  end
  timer = vim.defer_fn(function()
    timer = nil
    M.tell()
  end, DELAY_MS)
end

---A path as the server reads it back.
---@param path string
---@return string
function M.mention(path)
  return '@' .. path:gsub('%s', '\\%0')
end

---Lines of a buffer, to be mentioned.
---@param buffer integer
---@param first integer from 1
---@param last integer from 1, in it
---@return string?
function M.mention_lines(buffer, first, last)
  if not server.is_file(buffer) then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(buffer)
  return ('%s:%d-%d'):format(M.mention(vim.fs.relpath(server.folder(), name) or name), first, last)
end

return M
