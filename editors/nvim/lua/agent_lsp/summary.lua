-- What waits for the user, in one line.

local facts = require('agent_lsp.facts')
local notify = require('agent_lsp.notify')

local M = {}

---@param text string
---@return string
local function tool(text)
  local ask = facts.tool(text)
  local name, place = facts.tool_title(ask)
  local changes = ask.changes or {}
  local added, removed = 0, 0
  for _, change in ipairs(changes) do
    added, removed = added + change.added, removed + change.removed
  end
  local words = { name, place }
  for _, count in ipairs(facts.counts(added, removed)) do
    table.insert(words, count[1])
  end
  return table.concat(words, ' ')
end

local SUMMARIES = {
  tool = tool,
  command = function(text)
    return 'Run: ' .. facts.words(facts.json(text).command)
  end,
  followup = function(text)
    return facts.words(facts.json(text).question)
  end,
  browser_action_launch = function(text)
    return 'Open ' .. facts.words(facts.json(text).url)
  end,
  use_mcp_server = function(text)
    local value = facts.json(text)
    return ('Use %s: %s'):format(facts.words(value.serverName), facts.words(value.toolName))
  end,
  api_req_failed = function(text)
    return facts.words(facts.json(text).message)
  end,
  completion_result = function()
    return 'The task is done'
  end,
  resume_task = function()
    return 'The task rests: go on with it?'
  end,
}

---@param kind string
---@param text string
---@return string
function M.of(kind, text)
  local summary = SUMMARIES[kind]
  return notify.flat(summary and summary(text) or (text ~= '' and text or kind:gsub('_', ' ')))
end

return M
