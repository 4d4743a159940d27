-- The task on the screen, as the server told it: messages in the order of their `ts`, the newest status, and what was
-- decided of hunks so far. No buffer and no request in here.

---@alias agent_lsp.Decision 'accept'|'reject'
---@alias agent_lsp.TaskEvent 'snapshot'|'message'|'deleted'|'delta'|'status'|'decisions'

---@class agent_lsp.Entry
---@field message agent_lsp.Message without its text
---@field parts string[] the text, in the pieces in which it came

---@class agent_lsp.Task
---@field order integer[] the `ts` of all messages, rising
---@field entries table<integer, agent_lsp.Entry>
---@field status agent_lsp.Status?
---@field has_more boolean
---@field seq integer of the newest notice that is in here
---@field problem string? why no task could be started
---@field private decided table<integer, table<string, agent_lsp.Decision>>
---@field private listen fun(event: agent_lsp.TaskEvent, ...)
local Task = {}
Task.__index = Task

---@param listen fun(event: agent_lsp.TaskEvent, ...)
---@return agent_lsp.Task
function Task.new(listen)
  local task = setmetatable({ listen = listen }, Task)
  task:reset()
  return task
end

---@private
function Task:reset()
  self.order, self.entries, self.decided = {}, {}, {}
  self.status, self.has_more, self.seq, self.problem = nil, false, 0, nil
end

---@param message agent_lsp.Message
---@return agent_lsp.Entry
local function entry_of(message)
  return { message = message, parts = { message.text or '' } }
end

---@return string?
function Task:id()
  return self.status and self.status.taskId
end

---@param snapshot agent_lsp.Snapshot
function Task:load(snapshot)
  self:reset()
  for _, message in ipairs(snapshot.messages) do
    self:keep(message)
  end
  self.has_more, self.seq = snapshot.hasMore, snapshot.seq
  if snapshot.taskId then
    self.status = vim.tbl_extend('force', {}, snapshot)
    self.status.messages, self.status.hasMore = nil, nil
  end
  self.listen('snapshot')
end

function Task:clear()
  self:reset()
  self.listen('snapshot')
end

---Keep why no task could be started, where there is none.
---@param problem string
function Task:fail(problem)
  if not self:id() then
    self.problem = problem
    self.listen('snapshot')
  end
end

---Older messages, asked for by going up.
---@param messages agent_lsp.Message[]
---@param has_more boolean
function Task:prepend(messages, has_more)
  local older = vim.tbl_filter(function(message)
    return not message.deleted and not self.entries[message.ts]
  end, messages)
  local order = {}
  for _, message in ipairs(older) do
    order[#order + 1] = message.ts
    self.entries[message.ts] = entry_of(message)
  end
  self.order = vim.list_extend(order, self.order)
  self.has_more = has_more
  self.listen('snapshot')
end

---Take a message up; the place in the order where it is new, else nil.
---@private
---@param message agent_lsp.Message
---@return integer?
function Task:keep(message)
  if message.deleted then
    return
  end
  local is_new = self.entries[message.ts] == nil
  self.entries[message.ts] = entry_of(message)
  if is_new then
    local at = self:place_after(message.ts)
    table.insert(self.order, at, message.ts)
    return at
  end
end

---Where a message of this `ts` belongs, looked for from the end, where it nearly always is.
---@private
---@param ts integer
---@return integer
function Task:place_after(ts)
  local at = #self.order
  while at > 0 and self.order[at] > ts do
    at = at - 1
  end
  return at + 1
end

---The place of a message in the order.
---@param ts integer
---@return integer?
function Task:index(ts)
  local at = self:place_after(ts) - 1
  return self.order[at] == ts and at or nil
end

---@param notice agent_lsp.MessageNotice|agent_lsp.DeletionNotice
function Task:receive(notice)
  self.seq = notice.seq
  local message = notice.message
  if not message.deleted then
    return self.listen('message', message.ts, self:keep(message))
  end
  local at = self:index(message.ts)
  if at then
    table.remove(self.order, at)
    self.entries[message.ts] = nil
    self.listen('deleted', message.ts, at)
  end
end

---@param notice agent_lsp.DeltaNotice
function Task:grow(notice)
  self.seq = notice.seq
  local entry = self.entries[notice.ts]
  if entry then
    table.insert(entry.parts, notice.append)
    self.listen('delta', notice.ts, notice.append)
  end
end

---@param status agent_lsp.Status
function Task:become(status)
  self.seq = status.seq
  local before = self.status
  self.status = status
  self.listen('status', before)
end

---@param ts integer
---@return agent_lsp.Message?
function Task:message(ts)
  local entry = self.entries[ts]
  return entry and entry.message
end

---@param ts integer
---@return string
function Task:text(ts)
  local entry = self.entries[ts]
  if not entry then
    return ''
  end
  if #entry.parts > 1 then
    entry.parts = { table.concat(entry.parts) }
  end
  return entry.parts[1]
end

---The ask that waits for the user, if one does.
---@return agent_lsp.WaitingAsk?
function Task:ask()
  local ask = self.status and self.status.ask
  return ask ~= vim.NIL and ask or nil
end

---@param ts integer
---@return table<string, agent_lsp.Decision>
function Task:decisions(ts)
  return self.decided[ts] or {}
end

---@param ts integer
---@param hunk string
---@param decision agent_lsp.Decision
function Task:decide(ts, hunk, decision)
  self.decided[ts] = vim.tbl_extend('force', self:decisions(ts), { [hunk] = decision })
  self.listen('decisions', ts)
end

---The wait before a failed request is tried again, if that is what the task does now.
---@return integer? ts
function Task:pause()
  local ts = self.order[#self.order]
  if ts and self:message(ts).say == 'api_req_retry_delayed' then
    local seconds = require('agent_lsp.facts').json(self:text(ts)).seconds
    return type(seconds) == 'number' and seconds > 0 and ts or nil
  end
end

---The user's own words, newest first.
---@return integer[] ts
function Task:own_words()
  local found = {}
  for at, ts in ipairs(self.order) do
    local say = self:message(ts).say
    if say == 'user_feedback' or (say == 'text' and at == 1 and not self.has_more) then
      table.insert(found, 1, ts)
    end
  end
  return found
end

---The changes that an ask is about.
---@param ts integer
---@return agent_lsp.Change[]
function Task:changes(ts)
  local message = self:message(ts)
  if not message or (message.ask ~= 'tool' and message.say ~= 'tool') then
    return {}
  end
  local facts = require('agent_lsp.facts').tool(self:text(ts))
  return facts.changes or {}
end

return Task
