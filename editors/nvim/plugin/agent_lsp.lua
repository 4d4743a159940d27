-- Commands and what is listened to, so light that it costs nothing before the agent is wanted.

if vim.g.loaded_agent_lsp then
  return
end
vim.g.loaded_agent_lsp = true

if vim.fn.has('nvim-0.11') == 0 then
  local version = vim.version()
  local text = 'agent-lsp needs Neovim 0.11 or newer; this is %d.%d.%d.'
  vim.notify(text:format(version.major, version.minor, version.patch), vim.log.levels.WARN)
  return
end

---@type table<string, table> what each command takes; what it does is in lua/agent_lsp/commands.lua
local COMMANDS = {
  Agent = { nargs = '*', range = true, desc = 'Say something to the agent, or start a task' },
  AgentOpen = { desc = 'Show the task' },
  AgentClose = { desc = 'Hide the task' },
  AgentToggle = { desc = 'Show or hide the task' },
  AgentNew = { desc = 'Begin anew; the task stays in the history' },
  AgentApprove = { nargs = '*', desc = 'Approve what waits' },
  AgentReject = { nargs = '*', desc = 'Reject what waits; words go along with it' },
  AgentAlways = { desc = 'Approve what waits, for good' },
  AgentAnswer = { nargs = '*', desc = 'Answer a question' },
  AgentAcceptHunk = { desc = 'Take the hunk at the cursor' },
  AgentRejectHunk = { desc = 'Leave out the hunk at the cursor' },
  AgentDiff = { nargs = '?', desc = 'Look at what waits' },
  AgentCancel = { desc = 'Stop the agent; the task can be resumed' },
  AgentCommand = { nargs = 1, desc = 'Let the command that runs go on in the background, or end it' },
  AgentResume = { desc = 'Go on with the task, or with the newest one' },
  AgentHistory = { nargs = '*', desc = 'Go back to an earlier task' },
  AgentCheckpoints = { nargs = '?', desc = 'Take back what the agent did to files' },
  AgentRewind = { desc = 'Go back to before words of yours' },
  AgentQueue = { desc = 'Show the words that wait' },
  AgentImage = { nargs = '?', complete = 'file', desc = 'Send a picture with the next words' },
  AgentFork = { desc = 'Make a new task of this one' },
  AgentRename = { nargs = '*', desc = 'Give the task a title' },
  AgentExport = { nargs = '?', complete = 'file', desc = 'Write the task as Markdown' },
  AgentDelete = { desc = 'Delete the task' },
  AgentCondense = { nargs = '*', desc = 'Have the agent sum up what was before' },
  AgentMode = { nargs = '?', desc = 'Choose how the agent works' },
  AgentPermissions = { nargs = '?', desc = 'Choose what runs unasked' },
  AgentProfile = { nargs = '?', desc = 'Choose which profile the task uses' },
  AgentReport = { desc = 'Show what goes into a report of a problem' },
  AgentInfo = { desc = 'Tell how the task stands' },
  AgentLog = { desc = 'Open the log' },
}

for name, options in pairs(COMMANDS) do
  -- Words may have a `|` in them; where there are none, another command can follow.
  options.bar = options.nargs == nil
  if options.nargs and not options.complete then
    options.complete = function(lead)
      return require('agent_lsp.commands').complete(name, lead)
    end
  end
  vim.api.nvim_create_user_command(name, function(command)
    require('agent_lsp.commands').run(name, command)
  end, options)
end

require('agent_lsp.highlights').define()

local group = vim.api.nvim_create_augroup('agent_lsp', {})

---@param events string|string[]
---@param callback fun(event: vim.api.keyset.create_autocmd.callback_args)
---@param pattern? string
local function on(events, callback, pattern)
  vim.api.nvim_create_autocmd(events, { group = group, pattern = pattern, callback = callback })
end

on('ColorScheme', function()
  require('agent_lsp.highlights').define()
end)

on('OptionSet', function()
  require('agent_lsp.highlights').define()
end, 'background')

on('BufReadCmd', function(event)
  require('agent_lsp.documents').read_preview(event.buf)
end, 'agent-preview:/*')

on('BufWriteCmd', function()
  require('agent_lsp.diff').accept()
end, 'agent-preview:/*')

on({ 'BufReadPost', 'BufWritePost', 'FileChangedShellPost' }, function(event)
  require('agent_lsp.documents').note(event.buf)
end)

on({ 'BufReadPost', 'BufNewFile', 'BufWritePost' }, function(event)
  require('agent_lsp.server').attach(event.buf)
end)

on('TermClose', function(event)
  require('agent_lsp.terminals').ended(event.buf, vim.v.event.status)
  require('agent_lsp.context').soon()
end)

on('BufWipeout', function(event)
  require('agent_lsp.documents').forget(event.buf)
  require('agent_lsp.terminals').ended(event.buf, nil)
end)

on({ 'BufEnter', 'WinEnter', 'WinScrolled', 'CursorMoved', 'CursorMovedI', 'ModeChanged' }, function()
  require('agent_lsp.context').soon()
end)

on({ 'TabEnter', 'VimResized' }, function()
  if package.loaded['agent_lsp.diff'] then
    require('agent_lsp.diff').tab_entered()
  end
end)
