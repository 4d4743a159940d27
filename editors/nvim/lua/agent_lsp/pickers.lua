-- Lists to choose from: earlier tasks, checkpoints; and what is told of the one that is here.

local agent = require('agent_lsp.agent')
local facts = require('agent_lsp.facts')
local notify = require('agent_lsp.notify')
local select = require('agent_lsp.select').open
local server = require('agent_lsp.server')

local M = {}

---@type string? takes the last restore back
M.undo = nil
---@type string? what that restore was of
M.undo_what = nil

---@param one agent_lsp.TaskSummary
---@return string
local function task_line(one)
  local when = os.date('%Y-%m-%d %H:%M', math.floor(one.ts / 1000))
  local title = notify.flat(one.title ~= '' and one.title or '(no title)')
  local cost = type(one.usage.cost) == 'number' and (' · $%.2f'):format(one.usage.cost) or ''
  local state = one.state == 'idle' and '' or ' · ' .. one.state:gsub('_', ' ')
  return ('%s  %s%s%s'):format(when, vim.fn.strcharpart(title, 0, 60), cost, state)
end

---Go back to an earlier task.
---@param query? string
function M.history(query)
  server.request('agent/listTasks', { limit = 200, query = query ~= '' and query or nil }, function(list)
    if #list.tasks == 0 then
      return notify.tell('There is no earlier task here.')
    end
    select(list.tasks, { prompt = 'Go back to', format_item = task_line }, function(task)
      require('agent_lsp.windows').open()
      agent.resume(task.taskId)
    end)
  end)
end

---What a restore would do to files, a line each.
---@param plan agent_lsp.Restoration
---@return string[]
function M.plan_lines(plan)
  local lines = {}
  for _, file in ipairs(plan.files) do
    local merged = file.isMerged and '  (what you changed stays)' or ''
    table.insert(lines, ('%-7s %s%s'):format(file.kind, file.path, merged))
  end
  for _, file in ipairs(plan.conflicts) do
    table.insert(lines, ('%-7s %s: %s'):format('left', file.path, notify.flat(file.reason)))
  end
  return lines
end

---@param params agent_lsp.RestoreParams
local function restore(params)
  server.request('agent/restore', params, function(done)
    local left = #done.conflicts > 0 and (', %d left as they are'):format(#done.conflicts) or ''
    local undo = done.undo and ' · :AgentCheckpoints undo takes that back' or ''
    M.undo, M.undo_what = done.undo, params.what
    notify.tell(('%d file%s restored%s%s'):format(#done.files, #done.files == 1 and '' or 's', left, undo))
    require('agent_lsp.documents').reload_soon()
  end)
end

---@param task_id string
---@param checkpoint string
local function confirm(task_id, checkpoint)
  server.request('agent/restore', { taskId = task_id, checkpoint = checkpoint, dryRun = true }, function(plan)
    if #plan.files + #plan.conflicts == 0 then
      return notify.tell('The agent has changed nothing since then.')
    end
    require('agent_lsp.dialog').open({
      title = 'Take back what the agent did since then?',
      lines = M.plan_lines(plan),
      hint = 'y restore · q leave everything as it is',
      keys = {
        y = function()
          restore({ taskId = task_id, checkpoint = checkpoint })
        end,
      },
    })
  end)
end

---@return table<string, integer> by checkpoint: the `ts` of the first message that it was taken before
local function owners()
  local found = {}
  for _, ts in ipairs(agent.task.order) do
    local mark = agent.task:message(ts).checkpoint
    if mark then
      found[mark.id] = found[mark.id] or ts
    end
  end
  return found
end

---The first words of a message.
---@param ts integer
---@return string
local function words_of(ts)
  local message, text = agent.task:message(ts), agent.task:text(ts)
  local words = message.say ~= 'tool' and message.say ~= 'command' and message.say and notify.flat(text)
    or require('agent_lsp.summary').of(message.ask or message.say or '', text)
  return vim.fn.strcharpart(words, 0, 60)
end

---@param rows agent_lsp.CheckpointRow[]
---@return fun(row: agent_lsp.CheckpointRow): string
local function checkpoint_lines(rows)
  local owner, today = owners(), os.date('%x')
  local is_of_today = vim.iter(rows):all(function(row)
    return os.date('%x', math.floor(row.ts / 1000)) == today
  end)
  return function(one)
    local ts = owner[one.id]
    local what = one.reason == 'message' and 'your message' or 'a ' .. one.reason
    local when = os.date(is_of_today and '%H:%M:%S' or '%Y-%m-%d %H:%M:%S', math.floor(one.ts / 1000))
    return ('%s  before %s%s'):format(when, what, ts and ': ' .. words_of(ts) or '')
  end
end

---Back to a checkpoint: the plan is shown before anything is touched.
---@param argument? string
function M.checkpoints(argument)
  local task_id = agent.task:id()
  if not task_id then
    return notify.tell('There is no task here whose changes could be taken back.')
  elseif argument == 'undo' then
    if not M.undo then
      return notify.tell('Nothing was restored that could be taken back.')
    end
    return restore({ taskId = task_id, checkpoint = M.undo, what = M.undo_what })
  end
  server.request('agent/checkpoints', { taskId = task_id }, function(list)
    local rows = {}
    for _, row in ipairs(list.checkpoints) do
      table.insert(rows, 1, row)
    end
    if #rows == 0 then
      return notify.tell('No checkpoint was taken in this task.')
    end
    local options = { prompt = 'Take back what the agent did since', format_item = checkpoint_lines(rows) }
    select(rows, options, function(row)
      confirm(task_id, row.id)
    end)
  end)
end

---@param text string
---@return string[]
local function lines_of(text)
  return vim.split(text, '\n', { plain = true })
end

---What goes into a report of a problem.
function M.report()
  server.request('agent/debugReport', {}, function(text)
    vim.cmd('botright new')
    vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
    vim.api.nvim_buf_set_lines(0, 0, -1, true, lines_of(text))
    vim.bo.modifiable = false
  end)
end

---How the task stands, in one line.
function M.info()
  local status = agent.task.status
  local state = require('agent_lsp.status').line()
  if not status then
    return notify.tell((state ~= '' and state or 'agent: not running') .. ' · no task')
  end
  local usage = ('%s in, %s out'):format(facts.short(status.usage.tokensIn), facts.short(status.usage.tokensOut))
  local modes = ('%s, %s'):format(status.mode, status.permissionMode)
  notify.tell(('%s · %s · %s · %s · %s'):format(state, status.model, modes, usage, status.title))
end

return M
