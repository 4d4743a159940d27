-- The buffer that shows the task: rows of lines in the order of the messages, made anew one by one, and grown where a
-- message only grows. Its windows are in windows.lua, what its keys do is in keys.lua.

local config = require('agent_lsp.config')
local page = require('agent_lsp.page')
local rows = require('agent_lsp.rows')

local M = {}

local HEAD, TAIL = 1, 1

---@class agent_lsp.Shown a row in the buffer
---@field row agent_lsp.Row
---@field lines integer how many of the buffer's lines it takes, with the space above it

local shown = {} ---@type table<integer, agent_lsp.Shown> by `ts`
local order = {} ---@type integer[] the `ts` of what is in the buffer
local unfolded = {} ---@type table<integer, true>
local stale = {} ---@type table<integer, true> grew, and cannot be grown in the buffer
local task ---@type agent_lsp.Task
local steps ---@type integer? the `ts` of the newest list of steps

M.buffer = page.buffer

---@param ts integer
---@return agent_lsp.Row
local function make(ts)
  local message = assert(task:message(ts))
  local ask = task:ask()
  return rows.of({
    message = message,
    text = task:text(ts),
    is_users = message.say == 'text' and ts == task.order[1] and not task.has_more,
    is_outdated = steps ~= nil and ts < steps,
    waits = ask ~= nil and ask.ts == ts,
    is_unfolded = unfolded[ts] == true,
    decisions = task:decisions(ts),
    keys = config.get().keys,
    folder = require('agent_lsp.server').folder(),
    width = require('agent_lsp.windows').width(),
  })
end

---Whether there is space between a row and the one above.
---@param row agent_lsp.Row
---@param above agent_lsp.Shown?
---@return boolean
local function has_space(row, above)
  return #row.lines > 0 and not (row.is_compact and above ~= nil and above.row.is_compact)
end

---The nearest row above that shows anything.
---@param index integer
---@return agent_lsp.Shown?
local function above(index)
  for at = index - 1, 1, -1 do
    local one = shown[order[at]]
    if one and one.lines > 0 then
      return one
    end
  end
end

---Where a row begins in the buffer: counted from the end, where nearly everything happens.
---@param index integer
---@return integer line from 0
local function start_of(index)
  local line = vim.api.nvim_buf_line_count(assert(M.buffer())) - TAIL
  for at = #order, index, -1 do
    line = line - shown[order[at]].lines
  end
  return line
end

---@param row agent_lsp.Row
---@param index integer
---@return string[]
local function lines_of(row, index)
  local lines = row.lines
  if has_space(row, above(index)) then
    lines = vim.list_extend({ '' }, lines)
  end
  return lines
end

---@param index integer
---@param old integer how many lines stand there now
local function put(index, old)
  local ts = order[index]
  local row = make(ts)
  local lines = lines_of(row, index)
  local first = start_of(index)
  local next_line = first + old
  shown[ts] = { row = row, lines = #lines }
  stale[ts] = nil
  page.write(function(at)
    page.clear(at, first, next_line)
    vim.api.nvim_buf_set_lines(at, first, next_line, true, lines)
    page.colour(at, row.marks, first + #lines - #row.lines)
  end)
end

---Make the row below anew where it has space now and should not, or the other way round.
---@param index integer
local function mend_below(index)
  for at = index + 1, #order do
    local one = shown[order[at]]
    if #one.row.lines > 0 then
      local wanted = #one.row.lines + (has_space(one.row, above(at)) and 1 or 0)
      if wanted ~= one.lines then
        put(at, one.lines)
      end
      return
    end
  end
end

---@param ts integer
local function renew(ts)
  local index = task:index(ts)
  if index and shown[ts] then
    put(index, shown[ts].lines)
    mend_below(index)
  end
end

---@return string[]
local function head()
  local title = task.status and task.status.title or ''
  return { title ~= '' and '# ' .. require('agent_lsp.notify').flat(title) or '# Agent' }
end

local WELCOME = {
  '',
  'Write below what is to be done. Nothing is changed or run without your yes.',
}

---Note the newest list of steps; what listed them before is not shown any more.
---@param ts integer
---@return integer? older
local function note_steps(ts)
  local message = assert(task:message(ts))
  if message.say ~= 'tool' or not require('agent_lsp.facts').tool(task:text(ts)).todos then
    return nil
  end
  local older = steps
  steps = math.max(older or ts, ts)
  return older
end

---@return string[] what stands where there is no task
local function welcome()
  if not task.problem or task.problem == '' then
    return WELCOME
  end
  local problem = vim.split(vim.trim(task.problem), '\n', { plain = true })
  problem[1] = '✗ ' .. problem[1]
  return vim.list_extend(vim.list_extend(vim.list_slice(WELCOME), { '' }), problem)
end

local function render()
  shown, order, stale, steps = {}, vim.list_slice(task.order), {}, nil
  for _, ts in ipairs(order) do
    note_steps(ts)
  end
  local lines, places = head(), {}
  for index, ts in ipairs(order) do
    local row = make(ts)
    shown[ts] = { row = row, lines = 0 }
    local own = lines_of(row, index)
    shown[ts].lines = #own
    places[index] = #lines + #own - #row.lines
    vim.list_extend(lines, own)
  end
  if #order == 0 then
    vim.list_extend(lines, welcome())
  end
  table.insert(lines, '')
  page.write(function(at)
    page.clear(at, 0, -1)
    vim.api.nvim_buf_set_lines(at, 0, -1, true, lines)
    for index, ts in ipairs(order) do
      page.colour(at, shown[ts].row.marks, places[index])
    end
  end)
end

---Append to the last line of a row.
---@param ts integer
---@param append string
local function grow(ts, append)
  local index = assert(task:index(ts))
  local one = shown[ts]
  local last = start_of(index) + one.lines - 1
  local lines = vim.split(append:gsub('\r\n', '\n'), '\n', { plain = true })
  page.write(function(at)
    vim.api.nvim_buf_set_text(at, last, -1, last, -1, lines)
    one.lines = one.lines + #lines - 1
    page.colour(at, one.row:grown(vim.api.nvim_buf_get_lines(at, last, last + #lines, true)), last)
  end)
end

local function renew_stale()
  local wanted = stale
  stale = {}
  for ts in pairs(wanted) do
    if M.buffer() and not require('agent_lsp.server').is_leaving() then
      renew(ts)
    end
  end
end

---What cannot be appended is made anew, once for all that comes in one go.
---@param ts integer
local function grow_or_renew(ts, append)
  local one = shown[ts]
  if one and one.row.grows and one.lines > 0 then
    return grow(ts, append)
  end
  if one then
    if next(stale) == nil then
      vim.defer_fn(renew_stale, 50)
    end
    stale[ts] = true
  end
end

---@param before agent_lsp.Status?
local function status_changed(before)
  local old = before and before.ask ~= vim.NIL and before.ask or nil
  local new = task:ask()
  if (old and old.ts) ~= (new and new.ts) then
    if old then
      renew(old.ts)
    end
    if new then
      renew(new.ts)
    end
  end
  if not before or before.title ~= task.status.title then
    page.write(function(at)
      vim.api.nvim_buf_set_lines(at, 0, HEAD, true, head())
    end)
  end
end

---@param event agent_lsp.TaskEvent
---@param ... any
function M.update(event, ...)
  local first, second = ...
  if not M.buffer() then
    return
  elseif event == 'snapshot' then
    unfolded = {}
    render()
  elseif event == 'message' and second then
    if #order == 0 then
      return render()
    end
    local older = note_steps(first)
    table.insert(order, second, first)
    shown[first] = { row = require('agent_lsp.row').new(), lines = 0 }
    put(second, 0)
    mend_below(second)
    if older then
      renew(older)
    end
  elseif event == 'message' or event == 'decisions' then
    renew(first)
  elseif event == 'deleted' then
    M.remove(first, second)
  elseif event == 'delta' then
    grow_or_renew(first, second)
  elseif event == 'status' then
    status_changed(first)
  end
end

---@param ts integer
---@param index integer
function M.remove(ts, index)
  local first = start_of(index)
  local count = shown[ts].lines
  table.remove(order, index)
  shown[ts] = nil
  page.write(function(at)
    vim.api.nvim_buf_set_lines(at, first, first + count, true, {})
  end)
  mend_below(index - 1)
end

---The message at a line of the buffer, and the hunk that the line belongs to.
---@param line integer from 0
---@return integer? ts
---@return agent_lsp.HunkPlace? hunk
function M.at(line)
  local first = vim.api.nvim_buf_line_count(assert(M.buffer())) - TAIL
  for index = #order, 1, -1 do
    local one = shown[order[index]]
    first = first - one.lines
    if line >= first then
      return order[index], one.row.hunks[line - first - (one.lines - #one.row.lines)]
    end
  end
end

---The lines on which the hunks of a message begin.
---@param ts integer
---@return integer[] from 0
function M.hunk_lines(ts)
  local index, one = task:index(ts), shown[ts]
  local lines, last = {}, nil
  if not index or not one then
    return lines
  end
  local first = start_of(index) + one.lines - #one.row.lines
  for line = 0, #one.row.lines - 1 do
    local place = one.row.hunks[line]
    if place and place.hunk ~= last then
      table.insert(lines, first + line)
    end
    last = place and place.hunk
  end
  return lines
end

---@param ts integer
function M.toggle(ts)
  unfolded[ts] = not unfolded[ts] or nil
  renew(ts)
end

---The buffer, made where there is none yet.
---@param of agent_lsp.Task
---@return integer
function M.open(of)
  task = of
  local at = page.buffer()
  if not at then
    at = page.make()
    render()
  end
  return at
end

return M
