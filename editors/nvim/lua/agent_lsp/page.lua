-- The buffer of the view: made, written to and coloured. What stands in it is view.lua's to say.

local M = {}

-- A tab page is titled by it, and would cut what looks like a folder to its first letter.
local NAME = '[Agent]'
local LANGUAGE = 'agentchat'
local MARKS = vim.api.nvim_create_namespace('agent_lsp_view')
local PRIORITY = 200

local buffer ---@type integer?

---@return integer?
function M.buffer()
  return buffer and vim.api.nvim_buf_is_valid(buffer) and buffer or nil
end

---Change the text; windows that are at its end stay there.
---@param change fun(at: integer)
function M.write(change)
  local at = assert(M.buffer())
  local windows = require('agent_lsp.windows')
  local followers = windows.followers(at)
  vim.bo[at].modifiable = true
  change(at)
  vim.bo[at].modifiable, vim.bo[at].modified = false, false
  windows.follow(at, followers)
end

---@param at integer
---@param first integer
---@param last integer
function M.clear(at, first, last)
  vim.api.nvim_buf_clear_namespace(at, MARKS, first, last)
end

---@param at integer buffer
---@param marks agent_lsp.Mark[]
---@param first integer the line that they count from
function M.colour(at, marks, first)
  for _, mark in ipairs(marks) do
    local line = first + mark.line
    if mark.is_hidden then
      vim.api.nvim_buf_set_extmark(at, MARKS, line, 0, { conceal_lines = '' })
    else
      local is_part = mark.from ~= nil
      vim.api.nvim_buf_set_extmark(at, MARKS, line, mark.from or 0, {
        hl_group = mark.group,
        priority = PRIORITY,
        end_row = is_part and line or line + 1,
        end_col = is_part and mark.to or 0,
        hl_eol = not is_part,
        strict = false,
      })
    end
  end
end

---Colour it with Neovim's parser and queries of ours; a Neovim that was built without the parser shows plain text.
---@param at integer
local function colour_as_markdown(at)
  local parser = vim.api.nvim_get_runtime_file('parser/markdown.*', false)[1]
  if parser and vim.treesitter.language.add(LANGUAGE, { path = parser, symbol_name = 'markdown' }) then
    vim.treesitter.start(at, LANGUAGE)
  end
end

---@return integer
function M.make()
  buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, NAME)
  vim.bo[buffer].buftype, vim.bo[buffer].undolevels, vim.bo[buffer].modifiable = 'nofile', -1, false
  vim.bo[buffer].filetype = LANGUAGE
  colour_as_markdown(buffer)
  return buffer
end

return M
