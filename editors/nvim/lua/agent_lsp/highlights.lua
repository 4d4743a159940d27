-- The names of what is coloured, each a link to a standard group, so that every colour scheme fits.

local M = {}

local LINKS = {
  AgentUser = 'Title',
  AgentTool = 'Function',
  AgentCommand = 'Statement',
  AgentOutput = 'Comment',
  AgentReasoning = 'Comment',
  AgentHint = 'Comment',
  AgentKey = 'Special',
  AgentAdded = 'Added',
  AgentRemoved = 'Removed',
  AgentAddedLine = 'DiffAdd',
  AgentRemovedLine = 'DiffDelete',
  AgentHunk = 'Comment',
  AgentContext = 'Normal',
  AgentDone = 'DiagnosticOk',
  AgentWaiting = 'DiagnosticWarn',
  AgentError = 'DiagnosticError',
  AgentInfo = 'DiagnosticInfo',
}

function M.define()
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

return M
