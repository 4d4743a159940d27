-- The `:Agent…` commands, each a line of a table.

local agent = require('agent_lsp.agent')
local choices = require('agent_lsp.choices')
local keys = require('agent_lsp.keys')
local notify = require('agent_lsp.notify')
local pickers = require('agent_lsp.pickers')
local prompt = require('agent_lsp.prompt')
local questions = require('agent_lsp.questions')
local tasks = require('agent_lsp.tasks')
local windows = require('agent_lsp.windows')

local M = {}

---@return string[]
local function changed_paths()
  local ask = agent.task:ask()
  return vim.tbl_map(function(change)
    return change.path
  end, ask and agent.task:changes(ask.ts) or {})
end

---`:Agent text`, with the lines of a range attached.
---@param command vim.api.keyset.create_user_command.command_args
local function say(command)
  local mention ---@type string?
  if command.range > 0 then
    mention = require('agent_lsp.context').mention_lines(0, command.line1, command.line2)
  end
  if command.args == '' then
    windows.write()
    if mention then
      local text = prompt.text()
      prompt.set(text == '' and mention .. ' ' or text .. ' ' .. mention .. ' ')
      vim.cmd('normal! G$')
    end
    return
  end
  windows.open()
  local words = prompt.read(command.args)
  if mention and words.text ~= '' then
    words.text = words.text .. '\n\n' .. mention
  end
  prompt.deliver(words, function()
    if prompt.text() == '' then
      prompt.set(command.args)
    end
  end)
end

local function new()
  agent.clear()
  windows.write()
end

local function toggle()
  if windows.is_open() then
    windows.close()
  else
    windows.open()
  end
end

local function rewind()
  require('agent_lsp.rewind').choose()
end

local function queue()
  require('agent_lsp.queue').open()
end

---@param path string
local function image(path)
  require('agent_lsp.images').add(path)
end

local function open_log()
  vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log and vim.lsp.log.get_filename() or vim.lsp.get_log_path()))
end

---@param action fun(words: string)
---@return fun(command: vim.api.keyset.create_user_command.command_args)
local function with_words(action)
  return function(command)
    action(command.args)
  end
end

---@param decision agent_lsp.Decision
---@return fun()
local function deciding(decision)
  return function()
    keys.decide(decision)
  end
end

---@param words string
local function answer(words)
  if words == '' then
    return questions.choose()
  end
  agent.answer('messageResponse', { text = words })
end

---@param path string
local function diff(path)
  require('agent_lsp.diff').open(path ~= '' and path or nil)
end

---@param operation string
local function command_of_agents(operation)
  if operation ~= 'continue' and operation ~= 'abort' then
    return notify.tell(':AgentCommand takes `continue` or `abort`.')
  end
  agent.terminal(operation)
end

---@type table<string, fun(command: vim.api.keyset.create_user_command.command_args)> those of plugin/agent_lsp.lua
local ACTIONS = {
  Agent = say,
  AgentOpen = windows.open,
  AgentClose = windows.close,
  AgentToggle = toggle,
  AgentNew = new,
  AgentApprove = with_words(keys.approve),
  AgentReject = with_words(keys.reject),
  AgentAlways = questions.always,
  AgentAnswer = with_words(answer),
  AgentAcceptHunk = deciding('accept'),
  AgentRejectHunk = deciding('reject'),
  AgentDiff = with_words(diff),
  AgentCancel = agent.cancel,
  AgentCommand = with_words(command_of_agents),
  AgentResume = agent.resume_any,
  AgentHistory = with_words(pickers.history),
  AgentCheckpoints = with_words(pickers.checkpoints),
  AgentRewind = rewind,
  AgentQueue = queue,
  AgentImage = with_words(image),
  AgentFork = tasks.fork,
  AgentRename = with_words(tasks.rename),
  AgentExport = with_words(tasks.export),
  AgentDelete = tasks.delete,
  AgentCondense = with_words(tasks.condense),
  AgentMode = with_words(choices.set_mode),
  AgentPermissions = with_words(choices.set_permission_mode),
  AgentProfile = with_words(choices.set_profile),
  AgentReport = pickers.report,
  AgentInfo = pickers.info,
  AgentLog = open_log,
}

---@type table<string, fun(): string[]>
local COMPLETIONS = {
  AgentDiff = changed_paths,
  AgentMode = choices.modes,
  AgentPermissions = choices.permission_modes,
  AgentProfile = choices.profiles,
  AgentCheckpoints = function()
    return { 'undo' }
  end,
  AgentCommand = function()
    return { 'continue', 'abort' }
  end,
}

---@param name string
---@param arguments vim.api.keyset.create_user_command.command_args
function M.run(name, arguments)
  ACTIONS[name](arguments)
end

---@param name string
---@param lead string
---@return string[]
function M.complete(name, lead)
  local candidates = COMPLETIONS[name]
  return vim.tbl_filter(function(word)
    return vim.startswith(word:lower(), lead:lower())
  end, candidates and candidates() or {})
end

return M
