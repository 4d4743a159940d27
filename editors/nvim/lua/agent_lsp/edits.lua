-- `workspace/applyEdit`: files that are made anew get exactly the text that was approved. The rest is Neovim's to do.

local documents = require('agent_lsp.documents')

local M = {}

---@class agent_lsp.NewFile
---@field uri string
---@field text string

---@param change table one of `documentChanges`
---@return string? text nil where it is more than a first text
local function first_text(change)
  local edit = #change.edits == 1 and change.edits[1]
  local range = edit and edit.range
  local is_first = range and range.start.line == 0 and range['end'].line == 0 and range['end'].character == 0
  return is_first and edit.newText or nil
end

---Tell files that are made anew, with their text, from everything else. Neovim's own way adds a line to the former: an
---empty buffer has one already.
---@param changes table[]
---@return agent_lsp.NewFile[] new
---@return table[] rest
local function sorted(changes)
  local new, by_uri, rest = {}, {}, {}
  for _, change in ipairs(changes) do
    local uri = change.uri or change.textDocument.uri
    local made = by_uri[uri]
    if change.kind == 'create' and not vim.uv.fs_stat(vim.uri_to_fname(uri)) and not documents.buffer_of(uri) then
      by_uri[uri] = { uri = uri, text = '' }
      table.insert(new, by_uri[uri])
    elseif made and change.edits and made.text == '' and first_text(change) then
      made.text = first_text(change)
    else
      table.insert(rest, change)
    end
  end
  return new, rest
end

---@param file agent_lsp.NewFile
local function make(file)
  local name = vim.uri_to_fname(file.uri)
  vim.fn.mkdir(vim.fs.dirname(name), 'p')
  local buffer = vim.fn.bufadd(name)
  vim.fn.bufload(buffer)
  vim.bo[buffer].buflisted = true
  documents.fill(buffer, file.text)
  vim.api.nvim_buf_call(buffer, function()
    vim.cmd('silent write')
  end)
  require('agent_lsp.server').attach(buffer)
end

---@param params lsp.ApplyWorkspaceEditParams
---@param context lsp.HandlerContext
---@return lsp.ApplyWorkspaceEditResult
function M.apply(params, context)
  local new, rest = sorted(params.edit.documentChanges or {})
  for _, file in ipairs(new) do
    local is_made, problem = pcall(make, file)
    if not is_made then
      return { applied = false, failureReason = require('agent_lsp.notify').flat(tostring(problem)) }
    end
  end
  if #new == 0 or #rest > 0 then
    if #new > 0 then
      params = vim.tbl_extend('force', params, { edit = { documentChanges = rest } })
    end
    return vim.lsp.handlers['workspace/applyEdit'](nil, params, context)
  end
  return { applied = true }
end

return M
