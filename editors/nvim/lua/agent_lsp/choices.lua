-- What there is to choose from, as the server last listed it: modes, words behind a `/`, profiles. It never waits for
-- that list, and asks for a new one whenever somebody is about to choose.

local agent = require('agent_lsp.agent')
local notify = require('agent_lsp.notify')
local server = require('agent_lsp.server')

local M = {}

---@class agent_lsp.Choice
---@field name string
---@field description string
---@field is_current? boolean

---@type agent_lsp.Choice[]
local PERMISSION_MODES = {
  { name = 'plan', description = 'it reads, and changes nothing' },
  { name = 'default', description = 'it asks before it changes or runs anything' },
  { name = 'acceptEdits', description = 'it edits files here without asking' },
  { name = 'bypassPermissions', description = 'it asks for nearly nothing' },
}

local modes = { { name = 'code', description = '' } } ---@type agent_lsp.Choice[]
local commands = {} ---@type agent_lsp.SlashCommand[]
local profiles = {} ---@type string[]

---@param list agent_lsp.ModeList
local function take_modes(list)
  modes = vim.tbl_map(function(row)
    return { name = row.slug, description = row.description, is_current = row.isCurrent }
  end, list.modes)
end

---@param list agent_lsp.CommandList
local function take_commands(list)
  commands = list.commands
end

---@param list agent_lsp.ProfileList
local function take_profiles(list)
  profiles = vim.tbl_map(function(row)
    return row.name
  end, list.profiles)
end

---@param method string
---@param take fun(list: table)
---@param done? fun(list: table)
local function ask(method, take, done)
  if not done and not server.knows(method) then
    return
  end
  server.request(method, { taskId = agent.task:id() }, function(list)
    take(list)
    if done then
      done(list)
    end
  end, { is_quiet = done == nil })
end

---Learn anew what there is.
function M.learn()
  if server.client() then
    ask('agent/listModes', take_modes)
    ask('agent/listCommands', take_commands)
    ask('agent/listProfiles', take_profiles)
  end
end

---@param choices agent_lsp.Choice[]
---@return string[]
local function names(choices)
  return vim.tbl_map(function(choice)
    return choice.name
  end, choices)
end

---@return string[]
function M.modes()
  return names(modes)
end

---@return string[]
function M.permission_modes()
  return names(PERMISSION_MODES)
end

---@return string[]
function M.profiles()
  return profiles
end

---What `/` can be followed by at the beginning of words.
---@return agent_lsp.Choice[]
function M.slash_words()
  local words = { { name = 'new', description = 'a task of its own' } }
  if #commands == 0 then
    return vim.list_extend(vim.list_extend(words, modes), PERMISSION_MODES)
  end
  for _, command in ipairs(commands) do
    local hint = command.argumentHint and command.argumentHint .. ' · ' or ''
    table.insert(words, { name = command.name, description = hint .. command.description })
  end
  return words
end

---@param prompt string
---@param choices agent_lsp.Choice[]
---@param chosen fun(name: string)
local function select(prompt, choices, chosen)
  local width = 0
  for _, choice in ipairs(choices) do
    width = math.max(width, #choice.name)
  end
  local options = {
    prompt = prompt,
    format_item = function(choice)
      local name = choice.name .. (' '):rep(width - #choice.name)
      return ('%s %s  %s'):format(choice.is_current and '●' or ' ', name, choice.description)
    end,
  }
  require('agent_lsp.select').open(choices, options, function(choice)
    chosen(choice.name)
  end)
end

---@param mode string
local function set_mode(mode)
  server.request('agent/setMode', { taskId = agent.task:id(), mode = mode }, function()
    notify.tell('Mode: ' .. mode)
  end)
end

---How the agent works, in the task or in those to come.
---@param mode string chosen from a list where it is empty
function M.set_mode(mode)
  if mode ~= '' then
    return set_mode(mode)
  end
  ask('agent/listModes', take_modes, function()
    select('How it works', modes, set_mode)
  end)
end

---@param mode string
local function set_permission_mode(mode)
  server.request('agent/setPermissionMode', { taskId = agent.task:id(), permissionMode = mode }, function()
    notify.tell('What runs unasked: ' .. mode)
  end)
end

---What runs unasked, in the task or in those to come.
---@param mode string chosen from a list where it is empty
function M.set_permission_mode(mode)
  if mode ~= '' then
    return set_permission_mode(mode)
  end
  ask('agent/listModes', take_modes, function(list)
    local choices = vim.tbl_map(function(choice)
      return vim.tbl_extend('force', choice, { is_current = list.permissionMode == choice.name })
    end, PERMISSION_MODES)
    select('What runs unasked', choices, set_permission_mode)
  end)
end

---@param name string
local function set_profile(name)
  server.request('agent/setProfile', { taskId = agent.task:id(), profile = name }, function()
    notify.tell('Profile: ' .. name)
  end)
end

---Which of the user's profiles the task uses, or those to come.
---@param name string chosen from a list where it is empty
function M.set_profile(name)
  if name ~= '' then
    return set_profile(name)
  end
  ask('agent/listProfiles', take_profiles, function(list)
    if #list.profiles == 0 then
      return notify.tell('There are no profiles in the settings: run `agent-lsp configure`.')
    end
    local choices = vim.tbl_map(function(row)
      local note = row.problem and ' · ' .. notify.flat(row.problem) or ''
      return { name = row.name, description = row.model .. note, is_current = row.isCurrent }
    end, list.profiles)
    select('Profile', choices, set_profile)
  end)
end

return M
