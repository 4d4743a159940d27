-- What other plugins and a user's own settings may call.

local M = {}

---Settings of this plugin; without a call, those of `vim.g.agent_lsp` hold.
---@param settings? table see |agent-lsp-config|
function M.setup(settings)
  require('agent_lsp.config').set(settings)
end

---How the task stands, for a status line.
---@return string
function M.status()
  return require('agent_lsp.status').line()
end

---`no_task`, `running`, `streaming`, `waiting_for_input`, `idle`, `resumable`, or `stopped` where the server ended.
---@return string
function M.state()
  return require('agent_lsp.status').state()
end

---Say something to the agent: to the task that is here, or as a new one.
---@param text string
function M.send(text)
  local prompt = require('agent_lsp.prompt')
  prompt.deliver(prompt.read(text))
end

---@param words? string
function M.approve(words)
  require('agent_lsp.keys').approve(words)
end

---@param words? string
function M.reject(words)
  require('agent_lsp.keys').reject(words)
end

return M
