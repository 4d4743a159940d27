-- What the user does to the task, and what the server says of it. The server decides; this asks it, and tells whoever
-- shows the task.

local Task = require('agent_lsp.task')
local asks = require('agent_lsp.asks')
local notify = require('agent_lsp.notify')
local server = require('agent_lsp.server')

local M = {}

local PAGE = 1000

local held ---@type {kind: string, notice: table}[]? notices that came while a snapshot was on its way
local previous ---@type string? the task that was here when the server ended

---Why there is no server, as a word for the status; nil where there is one.
---@type string?
M.stopped = nil

M.task = Task.new(function(event, ...)
  require('agent_lsp.events').tell(event, ...)
end)

local APPLY = {
  message = 'receive',
  delta = 'grow',
  status = 'become',
}

---@param kind 'message'|'delta'|'status'
---@param notice table
local function apply(kind, notice)
  local task = M.task
  if notice.taskId ~= task:id() then
    -- A task that another client started comes to the screen where none is.
    if kind == 'status' and not task:id() then
      M.show(notice.taskId)
    end
  elseif notice.instanceId ~= task.status.instanceId then
    M.show(notice.taskId)
  elseif notice.seq > task.seq then
    task[APPLY[kind]](task, notice)
  end
end

---@param kind 'message'|'delta'|'status'
---@param notice table
function M.receive(kind, notice)
  if held then
    table.insert(held, { kind = kind, notice = notice })
  else
    apply(kind, notice)
  end
end

local function let_go()
  local notices = held or {}
  held = nil
  for _, one in ipairs(notices) do
    apply(one.kind, one.notice)
  end
end

---@param params agent_lsp.StateParams
---@param done? fun(snapshot: table?)
local function load(params, done)
  held = held or {}
  params.limit = PAGE
  server.request('agent/state', params, function(snapshot)
    M.task:load(snapshot)
    let_go()
    if done then
      done(snapshot)
    end
  end, {
    failed = function()
      let_go()
      if done then
        done()
      end
    end,
  })
end

---@param task_id string
---@param done? fun()
function M.show(task_id, done)
  load({ taskId = task_id }, done and function()
    done()
  end)
end

---Take up what the server has: its current task, or the one that was here before it was started anew.
---@param done fun()
function M.connected(done)
  M.stopped = nil
  require('agent_lsp.context').forget()
  local lost = previous
  previous = nil
  load({}, function(snapshot)
    if snapshot and not snapshot.taskId and lost then
      return M.resume(lost, done)
    end
    done()
  end)
end

---@param code integer
---@param signal integer
function M.disconnected(code, signal)
  held = nil
  previous = M.task:id()
  M.stopped = 'stopped'
  local status = M.task.status
  if status then
    status = vim.tbl_extend('force', status, { state = 'resumable', activity = '', ask = vim.NIL })
    M.task:become(status)
  end
  if code ~= 0 or signal ~= 0 then
    local how = signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
    notify.warn(('The agent server ended (%s). :AgentResume starts it again.'):format(how))
  end
  vim.cmd.redrawstatus({ bang = true })
end

---@param prompt agent_lsp.Prompt
---@param options agent_lsp.RequestOptions
local function new_task(prompt, options)
  held = held or {}
  local params = {
    text = prompt.text,
    clientRequestId = ('%s-%d'):format(vim.uv.hrtime(), vim.uv.os_getpid()),
    mode = prompt.mode,
    permissionMode = prompt.permission_mode,
    images = prompt.images,
  }
  server.request('agent/newTask', params, function(reference)
    M.show(reference.taskId)
  end, {
    failed = function(error)
      let_go()
      M.task:fail(error and error.message or '')
      if options.failed then
        options.failed(error)
      end
    end,
  })
end

---@param prompt agent_lsp.Prompt
local function set_modes(prompt)
  local task_id = M.task:id()
  if prompt.mode then
    server.request('agent/setMode', { taskId = task_id, mode = prompt.mode })
  end
  if prompt.permission_mode then
    server.request('agent/setPermissionMode', { taskId = task_id, permissionMode = prompt.permission_mode })
  end
end

---Words for the task: an answer where an ask wants words, else a message; without a task, a new one.
---@param prompt agent_lsp.Prompt
---@param options? agent_lsp.RequestOptions
function M.send(prompt, options)
  options = options or {}
  server.ensure(function()
    local task_id, ask = M.task:id(), M.task:ask()
    local says_something = prompt.text ~= '' or prompt.images ~= nil
    require('agent_lsp.context').tell()
    if says_something and (not task_id or prompt.is_new) then
      return new_task(prompt, options)
    end
    set_modes(prompt)
    local text, images = prompt.text ~= '' and prompt.text or nil, prompt.images
    if not says_something then
      return
    elseif ask and asks.takes(ask, 'messageResponse') then
      M.answer('messageResponse', { text = text, images = images, failed = options.failed })
    else
      local params = { taskId = task_id, text = text, images = images, delivery = ask and 'queue' or 'steer' }
      server.request('agent/sendMessage', params, nil, options)
    end
  end, options.failed)
end

---@class agent_lsp.AnswerOptions
---@field text? string words for the model
---@field images? string[] data URLs
---@field ts? integer the ask; without it, the one that waits
---@field remember? agent_lsp.Remembering
---@field edited? agent_lsp.EditedText[]
---@field accepted? fun()
---@field failed? fun()

---@param response string
---@param options? agent_lsp.AnswerOptions
function M.answer(response, options)
  options = options or {}
  local ask = M.task:ask()
  local ts = options.ts or (ask and ask.ts) or M.task:pause()
  if not ts then
    return notify.tell('The agent does not wait for an answer.')
  end
  local hunks = M.task:decisions(ts)
  local is_partial = response ~= 'noButtonClicked' and vim.tbl_contains(vim.tbl_values(hunks), 'reject')
  local params = {
    taskId = M.task:id(),
    ts = ts,
    response = response,
    text = options.text ~= '' and options.text or nil,
    images = options.images,
    hunks = is_partial and hunks or nil,
    remember = options.remember,
    edited = options.edited,
  }
  server.request('agent/askResponse', params, function(answered)
    if not answered.accepted then
      notify.tell('That was answered already.')
    elseif options.accepted then
      options.accepted()
    end
  end, { failed = options.failed })
end

---Note what is to become of a hunk; the last one answers the ask.
---@param ts integer
---@param hunk string
---@param decision agent_lsp.Decision
function M.decide(ts, hunk, decision)
  M.task:decide(ts, hunk, decision)
  local decided = M.task:decisions(ts)
  local is_any_taken = false
  for _, change in ipairs(M.task:changes(ts)) do
    for _, one in ipairs(change.hunks) do
      if not decided[one.id] then
        return
      end
      is_any_taken = is_any_taken or decided[one.id] == 'accept'
    end
  end
  M.answer(is_any_taken and 'yesButtonClicked' or 'noButtonClicked', { ts = ts })
end

function M.cancel()
  local task_id = M.task:id()
  if task_id and server.client() then
    server.request('agent/cancelTask', { taskId = task_id })
  end
end

---Let the command that runs go on in the background, or end it.
---@param operation 'continue'|'abort'
function M.terminal(operation)
  local task_id = M.task:id()
  if not task_id then
    return notify.tell('No command runs.')
  end
  server.request('agent/terminalOperation', { taskId = task_id, operation = operation }, function(operated)
    if not operated.accepted then
      notify.tell('No command runs.')
    end
  end)
end

---Take the task off the screen; it stays in the history.
function M.clear()
  local task_id = M.task:id()
  previous = nil
  if not task_id or not server.client() then
    return M.task:clear()
  end
  server.request('agent/clearTask', { taskId = task_id }, function()
    M.task:clear()
  end)
end

---@param task_id string
---@param done? fun()
function M.resume(task_id, done)
  held = held or {}
  server.request('agent/resumeTask', { taskId = task_id }, function()
    M.show(task_id, done)
  end, {
    failed = function()
      let_go()
      if done then
        done()
      end
    end,
  })
end

---Bring back the task that is here, or else the newest one.
function M.resume_any()
  server.ensure(function()
    local task_id = M.task:id()
    if task_id then
      if M.task:ask() then
        return M.answer('yesButtonClicked')
      end
      return M.resume(task_id)
    end
    server.request('agent/listTasks', { limit = 1 }, function(list)
      local newest = list.tasks[1]
      if newest then
        return M.resume(newest.taskId)
      end
      notify.tell('There is no earlier task here.')
    end)
  end)
end

---Messages before the oldest one that is here.
function M.older()
  local task_id, first = M.task:id(), M.task.order[1]
  if task_id and first and M.task.has_more and not M.is_paging then
    M.is_paging = true
    server.request('agent/state', { taskId = task_id, before = first, limit = PAGE }, function(page)
      M.is_paging = false
      M.task:prepend(page.messages, page.hasMore)
    end, {
      failed = function()
        M.is_paging = false
      end,
    })
  end
end

---An action that is no answer but a method, as the server offers it.
---@param method string
function M.call(method)
  if method == 'agent/clearTask' then
    M.clear()
  elseif M.task:id() then
    server.request(method, { taskId = M.task:id() })
  end
end

return M
