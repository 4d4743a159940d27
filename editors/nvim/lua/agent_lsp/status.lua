-- How the task stands, in a few words: for any status line, and for the bars of the agent's own windows.

local M = {}

local WORDS = {
  no_task = 'ready',
  running = 'working',
  streaming = 'working',
  waiting_for_input = 'waiting for you',
  idle = 'done',
  resumable = 'paused',
}

local GROUPS = {
  running = 'AgentInfo',
  streaming = 'AgentInfo',
  waiting_for_input = 'AgentWaiting',
  idle = 'AgentDone',
}

---@return agent_lsp.Status?
local function status()
  return require('agent_lsp.agent').task.status
end

---@return string
function M.state()
  local agent = require('agent_lsp.agent')
  if agent.stopped then
    return 'stopped'
  end
  local now = status()
  return now and now.state or 'no_task'
end

---@return string
local function words()
  local state, now = M.state(), status()
  local is_busy = state == 'running' or state == 'streaming'
  local activity = is_busy and now and now.activity ~= 'Idle' and now.activity or ''
  return activity ~= '' and activity or WORDS[state] or state
end

---For a status line, as in `agent: waiting for you`; empty where there is no server.
---@return string
function M.line()
  if not require('agent_lsp.server').client() and not require('agent_lsp.agent').stopped then
    return ''
  end
  return 'agent: ' .. words()
end

---@param text string
---@return string
local function escaped(text)
  return (text:gsub('%%', '%%%%'))
end

---@param todos agent_lsp.Todo[]
---@return string
local function progress(todos)
  local done = #vim.tbl_filter(function(todo)
    return todo.status == 'completed'
  end, todos)
  return ('%d/%d'):format(done, #todos)
end

---@param now agent_lsp.Status
---@return string[]
local function figures(now)
  local parts = {}
  if #(now.todos or {}) > 0 then
    table.insert(parts, '✓ ' .. progress(now.todos))
  end
  if now.context and now.context.percent >= 1 then
    table.insert(parts, ('context %d%%'):format(now.context.percent))
  end
  local cost = now.usage and now.usage.cost
  if type(cost) == 'number' and cost > 0 then
    table.insert(parts, ('$%.2f'):format(cost))
  end
  return parts
end

---The bar above the view.
---@return string
function M.winbar()
  local now = status()
  local left = ('%%#%s# ● %%*%s'):format(GROUPS[M.state()] or 'AgentHint', escaped(words()))
  local right = now and table.concat(figures(now), ' · ') or ''
  -- Where there is no room for both, the figures are cut.
  return left .. ' %=%#AgentHint#%<' .. escaped(right) .. ' %*'
end

---The bar above the prompt.
---@return string
function M.prompt_bar()
  local now = status()
  local keys = require('agent_lsp.config').get().keys
  local parts = { keys.send and keys.send .. ' sends' or ':w sends' }
  if now then
    local queue = now.queue and now.queue > 0 and (' · %d waiting'):format(now.queue) or ''
    local mode = now.permissionMode == 'default' and now.mode or ('%s, %s'):format(now.mode, now.permissionMode)
    table.insert(parts, 1, mode .. ' · ' .. now.model .. queue)
  end
  return '%#AgentHint# ' .. escaped(table.concat(parts, ' · ')) .. '%*'
end

return M
