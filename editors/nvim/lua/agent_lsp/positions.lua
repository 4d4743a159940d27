-- Between Neovim's places, which count bytes, and those of the protocol, which count in units of the encoding.

local M = {}

---@param buffer integer
---@param line integer from 0
---@param column integer from 0, in bytes
---@return agent_lsp.Position
function M.position(buffer, line, column)
  local client = require('agent_lsp.server').client()
  local encoding = client and client.offset_encoding or 'utf-8'
  local text = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or ''
  return { line = line, character = vim.str_utfindex(text, encoding, math.min(column, #text), false) }
end

---@param buffer integer
---@param first integer line from 1
---@param last integer line from 1, in it
---@return agent_lsp.Range
function M.lines(buffer, first, last)
  return {
    start = { line = first - 1, character = 0 },
    ['end'] = M.position(buffer, last - 1, vim.v.maxcol),
  }
end

return M
