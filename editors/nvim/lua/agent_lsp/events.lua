-- Who hears of what becomes of the task: the windows of this plugin, and `User` events for anybody's.

local agent = require('agent_lsp.agent')

local M = {}

local announced ---@type integer? the ask that was last told of

---@param name string
---@param data table
local function fire(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = name, data = data, modeline = false })
end

local function ask_changed()
  local ask = agent.task:ask()
  if announced == (ask and ask.ts) then
    return
  end
  announced = ask and ask.ts
  require('agent_lsp.diff').settled()
  require('agent_lsp.inline').show()
  require('agent_lsp.bell').ring()
  if ask then
    fire('AgentAsk', { taskId = agent.task:id(), ask = ask })
  end
end

---@param event agent_lsp.TaskEvent
function M.tell(event, ...)
  require('agent_lsp.view').update(event, ...)
  if event == 'status' or event == 'snapshot' then
    ask_changed()
    require('agent_lsp.prompt').task_changed()
    fire('AgentState', agent.task.status or { state = 'no_task' })
    vim.cmd.redrawstatus({ bang = true })
  elseif event == 'message' then
    fire('AgentMessage', { taskId = agent.task:id(), message = agent.task:message((...)) })
    require('agent_lsp.documents').reload_soon()
  elseif event == 'decisions' then
    require('agent_lsp.inline').show()
  end
end

return M
