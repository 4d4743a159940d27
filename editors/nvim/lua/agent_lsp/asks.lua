-- What can be answered to an ask, and so what words are for while it waits. Values in, values out.

local M = {}

local TAKES_NO_WORDS = {
  tool = true,
  command = true,
  browser_action_launch = true,
  use_mcp_server = true,
  auto_approval_max_req_reached = true,
}

---Whether an ask can be answered so: it offers what it takes, and all but a few take words.
---@param ask agent_lsp.WaitingAsk
---@param response string
---@return boolean
function M.takes(ask, response)
  if response == 'messageResponse' then
    return not TAKES_NO_WORDS[ask.kind]
  end
  return vim.iter(ask.actions or {}):any(function(action)
    return action.response == response
  end)
end

local FOR_ASKS = {
  followup = 'Your answer',
  completion_result = 'What is to be done next?',
  resume_completed_task = 'What is to be done next?',
}

---@param keys agent_lsp.Keys
---@return string
local function with_a_decision(keys)
  local approve, reject = keys.approve or ':AgentApprove', keys.reject or ':AgentReject'
  return ('Words to go with %s or %s'):format(approve, reject)
end

---What words in the prompt are for.
---@param status agent_lsp.Status?
---@param keys agent_lsp.Keys
---@return string
function M.purpose_of_words(status, keys)
  local ask = status and status.ask ~= vim.NIL and status.ask or nil
  if not status then
    return 'What is to be done?'
  elseif ask and TAKES_NO_WORDS[ask.kind] then
    return with_a_decision(keys)
  elseif ask then
    return FOR_ASKS[ask.kind] or 'Words to go on with'
  elseif status.state == 'running' or status.state == 'streaming' then
    return 'Words for the agent while it works'
  end
  return 'Words to go on with'
end

return M
