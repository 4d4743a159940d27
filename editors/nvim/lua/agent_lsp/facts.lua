-- What the text of a message says, read out of the JSON that some kinds have. Values in, values out.

local M = {}

---@class agent_lsp.ToolFacts
---@field tool string
---@field path? string
---@field paths? string[]
---@field regex? string
---@field reason? string
---@field changes? agent_lsp.Change[]
---@field todos? agent_lsp.Todo[]
---@field remember? {kind: string, rule: string, text: string}
---@field isOutsideWorkspace? boolean
---@field isProtected? boolean

local NAMES = {
  readFile = 'Read',
  listFilesTopLevel = 'List',
  listFilesRecursive = 'List all in',
  searchFiles = 'Search',
  newFileCreated = 'Create',
  editedExistingFile = 'Edit',
  appliedDiff = 'Edit',
  deletedFile = 'Delete',
  renamedFile = 'Rename',
  saveFiles = 'Save these files, then it goes on',
  switchMode = 'Switch the mode',
  newTask = 'Start a sub-task',
  updateTodoList = 'Update the list',
  fetchUrl = 'Fetch',
}

---The object in a text; an empty one where there is none.
---@param text string
---@return table<string, any>
function M.json(text)
  local is_read, value = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
  return is_read and type(value) == 'table' and not vim.islist(value) and value or {}
end

---A value as words.
---@param value any
---@return string
function M.words(value)
  if value == nil or value == vim.NIL then
    return ''
  end
  return type(value) == 'string' and value or vim.json.encode(value)
end

---A tool's ask, and what is there of its change while the model still writes it.
---@param text string
---@return agent_lsp.ToolFacts facts
---@return string? growing
function M.tool(text)
  local head, growing = text:match('^([^\n]*)\n(.*)$')
  return M.json(head or text), growing
end

---@param facts agent_lsp.ToolFacts
---@return string name
---@return string place
function M.tool_title(facts)
  local name = NAMES[facts.tool] or facts.tool or 'A tool'
  local place = facts.path or table.concat(facts.paths or {}, ', ')
  if facts.regex then
    name = ('%s for `%s` in'):format(name, facts.regex)
  end
  return name, place
end

---@param count integer
---@return string
function M.short(count)
  if count < 1000 then
    return tostring(count)
  elseif count < 1e6 then
    return ('%.1fk'):format(count / 1000)
  end
  return ('%.1fM'):format(count / 1e6)
end

---How many lines come and go: only what there is of both.
---@param added integer
---@param removed integer
---@return {[1]: string, [2]: string}[] each a text and its group
function M.counts(added, removed)
  local pieces = {}
  if added > 0 then
    table.insert(pieces, { ('+%d'):format(added), 'AgentAdded' })
  end
  if removed > 0 then
    table.insert(pieces, { ('−%d'):format(removed), 'AgentRemoved' })
  end
  return pieces
end

---The suggested answers of a question.
---@param text string
---@return string[]
function M.suggestions(text)
  local suggested = M.json(text).suggest
  return vim.tbl_map(function(one)
    return type(one) == 'table' and M.words(one.answer) or M.words(one)
  end, type(suggested) == 'table' and suggested or {})
end

---The same as the user reads them, each with the mode that it sets.
---@param text string
---@return string[]
function M.suggestion_labels(text)
  local suggested = M.json(text).suggest
  return vim.tbl_map(function(one)
    local mode = type(one) == 'table' and M.words(one.mode) or ''
    local answer = type(one) == 'table' and M.words(one.answer) or M.words(one)
    return mode == '' and answer or ('%s: %s'):format(mode, answer)
  end, type(suggested) == 'table' and suggested or {})
end

---What a yes to this ask could become for good.
---@param text string
---@return {kind: string, rule: string, text: string}?
function M.remember(text)
  return (M.tool(text)).remember
end

return M
