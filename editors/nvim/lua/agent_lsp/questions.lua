-- Choices that the user asks to see: answers to a question, what a yes becomes for good, and what the server itself
-- wants to know. None of them comes up by itself, and one that is dismissed has decided nothing.

local agent = require('agent_lsp.agent')
local facts = require('agent_lsp.facts')
local notify = require('agent_lsp.notify')

local M = {}

local WRITE = 'Write an answer…'

---@class agent_lsp.Pending a question of the server's own
---@field message string
---@field actions {title: string}[]
---@field answer fun(choice: table?)

local pending = {} ---@type agent_lsp.Pending[]

---@param options agent_lsp.SelectOptions
---@param choices string[]
---@param chosen fun(index: integer)
local function select(options, choices, chosen)
  require('agent_lsp.select').open(choices, options, function(_, index)
    chosen(index)
  end)
end

---@param text string
---@return agent_lsp.SelectOptions
local function asking(text)
  local lines = vim.split(vim.trim(text), '\n', { plain = true })
  return { prompt = 'The agent asks', text = vim.list_extend(lines, { '' }) }
end

---Answer with one of the suggestions.
---@param n integer
function M.suggest(n)
  local ask = agent.task:ask()
  local suggestion = ask and ask.kind == 'followup' and facts.suggestions(agent.task:text(ask.ts))[n]
  if ask and suggestion then
    agent.answer('messageResponse', { ts = ask.ts, text = suggestion })
  end
end

local function write()
  require('agent_lsp.windows').write()
  vim.cmd.startinsert()
end

---@param ask agent_lsp.WaitingAsk
local function choose_answer(ask)
  local text = agent.task:text(ask.ts)
  local suggestions = facts.suggestions(text)
  local choices = vim.list_extend(facts.suggestion_labels(text), { WRITE })
  select(asking(facts.words(facts.json(text).question)), choices, function(index)
    if suggestions[index] then
      agent.answer('messageResponse', { ts = ask.ts, text = suggestions[index] })
    else
      write()
    end
  end)
end

---@param ask agent_lsp.WaitingAsk
local function choose_action(ask)
  local labels = vim.tbl_map(function(action)
    return action.label
  end, ask.actions)
  table.insert(labels, WRITE)
  select({ prompt = 'What next?' }, labels, function(index)
    local action = ask.actions[index]
    if not action or action.response == 'messageResponse' then
      write()
    elseif action.response:find('/', 1, true) then
      agent.call(action.response)
    else
      agent.answer(action.response, { ts = ask.ts })
    end
  end)
end

local function answer_server()
  local question = pending[1]
  local titles = vim.tbl_map(function(action)
    return action.title
  end, question.actions)
  select(asking(question.message), titles, function(index)
    if pending[1] == question then
      table.remove(pending, 1)
      question.answer(question.actions[index])
      require('agent_lsp.bell').ring()
    end
  end)
end

---Show what can be answered to whatever waits.
function M.choose()
  local ask = agent.task:ask()
  if pending[1] then
    answer_server()
  elseif not ask then
    notify.tell('The agent does not wait for an answer.')
  elseif ask.kind == 'followup' then
    choose_answer(ask)
  else
    choose_action(ask)
  end
end

local SCOPES = { { 'task', 'in this task' }, { 'project', 'in this project' }, { 'user', 'everywhere' } }

---Approve, and have it hold for good.
function M.always()
  local ask = agent.task:ask()
  local offer = ask and facts.remember(agent.task:text(ask.ts))
  if not ask or not offer then
    return notify.tell('This cannot be allowed for good.')
  end
  local scopes = vim.tbl_map(function(scope)
    return scope[2]
  end, SCOPES)
  select({ prompt = 'Always allow ' .. offer.text }, scopes, function(index)
    agent.answer('yesButtonClicked', { ts = ask.ts, remember = { scope = SCOPES[index][1] } })
  end)
end

---A `window/showMessageRequest`: it waits until the user looks at it, and takes no focus.
---@param params lsp.ShowMessageRequestParams
---@return any
function M.ask(params)
  local running, is_main = coroutine.running()
  if not params.actions or #params.actions == 0 or not running or is_main then
    notify.show(params.message, params.type)
    return vim.NIL
  end
  table.insert(pending, {
    message = params.message,
    actions = params.actions,
    answer = function(choice)
      coroutine.resume(running, choice or vim.NIL)
    end,
  })
  vim.schedule(require('agent_lsp.bell').ring)
  return coroutine.yield()
end

---What the server itself wants to know.
---@return string?
function M.pending()
  return pending[1] and pending[1].message
end

function M.forget()
  pending = {}
end

return M
