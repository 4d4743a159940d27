-- What each kind of message looks like as lines. Asks about changes and commands are in rows_asks.lua.

local Fences = require('agent_lsp.fences')
local Row = require('agent_lsp.row')
local asks = require('agent_lsp.rows_asks')
local facts = require('agent_lsp.facts')
local tables = require('agent_lsp.tables')

local M = {}

---@class agent_lsp.RowContext
---@field message agent_lsp.Message
---@field text string
---@field is_users boolean the words are the user's
---@field is_outdated boolean a later row lists the same steps anew
---@field waits boolean it is the ask that waits
---@field is_unfolded boolean
---@field decisions table<string, agent_lsp.Decision>
---@field keys agent_lsp.Keys
---@field folder string that the agent works in
---@field width integer of the view, in columns

---@alias agent_lsp.RowMaker fun(context: agent_lsp.RowContext): agent_lsp.Row

---Lines of Markdown whose fences are not shown. One that was left open is closed, or all that follows would look like
---code.
---@param row agent_lsp.Row
---@param text string
---@param width integer of the view
---@return agent_lsp.Row
local function markdown(row, text, width)
  local fences = Fences.new()
  local lines, kinds = vim.split(vim.trim(text), '\n', { plain = true }), {}
  for n, line in ipairs(lines) do
    kinds[n] = fences:take(line)
  end
  local function is_prose(n)
    return kinds[n] == nil
  end
  for n, line in ipairs(tables.aligned(lines, is_prose, width)) do
    row:markdown(line, kinds[n])
  end
  local closing = fences:closing()
  return closing and row:hidden(closing) or row
end

---Markdown that is still being written: its last line may not be all of it.
---@param row agent_lsp.Row
---@param text string
---@return agent_lsp.Row
local function growing(row, text)
  row.grows, row.fences = true, Fences.new()
  local lines = vim.split(text, '\n', { plain = true })
  for n, line in ipairs(lines) do
    row:markdown(line, n < #lines and row.fences:take(line) or nil)
  end
  return row
end

---@param context agent_lsp.RowContext
---@param row agent_lsp.Row
---@return agent_lsp.Row
local function prose(context, row)
  if context.message.partial == true then
    return growing(row, context.text)
  end
  return markdown(row, context.text, context.width)
end

---@type agent_lsp.RowMaker
local function user(context)
  local row = Row.new():line({ '▌ You', 'AgentUser' })
  local images = #(context.message.images or {})
  markdown(row, context.text, context.width)
  if images > 0 then
    row:line({ ('%d picture%s'):format(images, images == 1 and '' or 's'), 'AgentHint' })
  end
  return row
end

---@type agent_lsp.RowMaker
local function words(context)
  if context.is_users then
    return user(context)
  end
  return prose(context, Row.new())
end

---@type agent_lsp.RowMaker
local function done(context)
  local row = Row.new()
  if vim.trim(context.text) == '' and context.message.ask then
    return row
  end
  return prose(context, row:line({ '✓ Done', 'AgentDone' }))
end

---@type agent_lsp.RowMaker
local function reasoning(context)
  local row = Row.new()
  if context.message.partial == true then
    row.grows, row.group = true, 'AgentReasoning'
    return row:line({ '∴ Thinking', 'AgentReasoning' }):text(context.text, 'AgentReasoning')
  elseif context.is_unfolded then
    return row:line({ '∴ Thought', 'AgentReasoning' }):text(vim.trim(context.text), 'AgentReasoning')
  end
  local _, breaks = vim.trim(context.text):gsub('\n', '')
  local lines = ('∴ Thought · %d line%s'):format(breaks + 1, breaks == 0 and '' or 's')
  return row:line({ lines, 'AgentReasoning' }):compact()
end

---@type agent_lsp.RowMaker
local function request(context)
  local reason = facts.json(context.text).cancelReason
  local row = Row.new():compact()
  -- What failed otherwise is told by the row below it.
  return reason == 'user_cancelled' and row:line({ '· stopped', 'AgentHint' }) or row
end

---@type agent_lsp.RowMaker
local function retry(context)
  local value = facts.json(context.text)
  local seconds = type(value.seconds) == 'number' and value.seconds or 0
  local row = Row.new():line({ '· ' .. vim.trim(facts.words(value.reason)), 'AgentWaiting' }):compact()
  if seconds > 0 then
    row:line({ ('  Next try in %d s'):format(seconds), 'AgentHint' })
    asks.key_line(row, { { 'approve', 'try now' }, { 'reject', 'give up' } }, context.keys)
  end
  return row
end

local LINES_SHOWN = 12

---@type agent_lsp.RowMaker
local function output(context)
  local text = context.text:gsub('\27%[[%d;?]*[%a]', ''):gsub('%s+$', '')
  local lines = vim.split(text, '\n', { plain = true })
  local row = Row.new()
  row.is_compact = true
  local left_out = #lines - LINES_SHOWN
  if left_out > 1 and not context.is_unfolded then
    row:line({ ('  … %d lines above · %s shows them'):format(left_out, context.keys.unfold or ''), 'AgentHint' })
    lines = vim.list_slice(lines, left_out + 1)
  end
  local shown = table.concat(lines, '\n')
  return row:code(shown == '' and '(no output)' or shown, 'AgentOutput')
end

---@type agent_lsp.RowMaker
local function changed_proposal(context)
  local value = facts.json(context.text)
  local diff = facts.words(value.diff):gsub('\n$', '')
  local row = Row.new():line({ '▌ You changed ', 'AgentUser' }, ('`%s`'):format(facts.words(value.path)))
  return asks.diff(row, diff)
end

---@type agent_lsp.RowMaker
local function todos(context)
  local is_read, list = pcall(vim.json.decode, context.text)
  local row = Row.new()
  if not is_read or type(list) ~= 'table' then
    return row:text(context.text, 'AgentHint')
  end
  return asks.todos(row, vim.islist(list) and list or list.todos or {})
end

---@type agent_lsp.RowMaker
local function failure(context)
  local value = facts.json(context.text)
  local text = value.message and facts.words(value.message) or context.text
  local row = Row.new():line({ '✗ ', 'AgentError' }, { vim.trim(text), 'AgentError' })
  if value.hint then
    row:text(facts.words(value.hint), 'AgentHint')
  end
  return row
end

---@type agent_lsp.RowMaker
local function limit(context)
  local value = facts.json(context.text)
  local unit = value.type == 'cost' and 'dollars' or 'requests'
  return Row.new():line({ ('The limit of %s %s is reached.'):format(facts.words(value.limit), unit), 'AgentWaiting' })
end

---@type agent_lsp.RowMaker
local function interruption()
  return Row.new():line({ 'The task rests.', 'AgentInfo' })
end

---@type agent_lsp.RowMaker
local function remark(context)
  local row = Row.new():line({ '· ' .. vim.trim(context.text), 'AgentHint' })
  return row:compact()
end

---@type agent_lsp.RowMaker
local function condensed(context)
  local value = facts.json(context.text)
  local before, after = value.prevContextTokens, value.newContextTokens
  local sizes = before and after and (': %s → %s tokens'):format(facts.short(before), facts.short(after)) or ''
  local row = Row.new():line({ '· Summed up what was before' .. sizes, 'AgentHint' })
  if context.is_unfolded and value.summary then
    return markdown(row, facts.words(value.summary), context.width)
  end
  return row:compact()
end

---@param count any
---@param thing string
---@return string[]
local function counted(count, thing)
  local is_some = type(count) == 'number' and count > 0
  return is_some and { ('%d %s%s'):format(count, thing, count == 1 and '' or 's') } or {}
end

---@type agent_lsp.RowMaker
local function left_out(context)
  local value = facts.json(context.text)
  local things = vim.list_extend(counted(value.messagesRemoved, 'message'), counted(value.resultsRemoved, 'result'))
  local words = #things > 0 and ('· The agent does not see %s any more'):format(table.concat(things, ' and '))
  return Row.new():line({ words or '· The agent does not see the beginning any more', 'AgentHint' }):compact()
end

---@type agent_lsp.RowMaker
local function nothing()
  return Row.new():compact()
end

---@type table<string, agent_lsp.RowMaker>
local MAKERS = {
  text = words,
  user_feedback = user,
  user_feedback_diff = changed_proposal,
  completion_result = done,
  subtask_result = done,
  reasoning = reasoning,
  api_req_started = request,
  api_req_retry_delayed = retry,
  command_output = output,
  todos = todos,
  error = failure,
  diff_error = failure,
  ignore_error = failure,
  condense_context_error = failure,
  api_req_failed = failure,
  mistake_limit_reached = failure,
  auto_approval_max_req_reached = limit,
  resume_task = interruption,
  resume_completed_task = nothing,
  checkpoint_saved = nothing,
  condense_context = condensed,
  sliding_window_truncation = left_out,
  info = remark,
}

-- What was answered to these stands below as words of the user's, or needs none.
local NOTELESS = { command_output = true, completion_result = true, followup = true, resume_task = true }

---@param row agent_lsp.Row
---@param message agent_lsp.Message
local function add_answer(row, message)
  local answer = message.answer
  if not answer or NOTELESS[message.ask] then
    return
  end
  local said = answer.text and answer.text ~= '' and (': ' .. answer.text) or ''
  if answer.response == 'noButtonClicked' then
    row:line({ '  ✗ rejected' .. said, 'AgentError' })
  elseif answer.response == 'messageResponse' then
    row:line({ '  → answered' .. said, 'AgentInfo' })
  elseif said ~= '' then
    row:line({ '  ✓ approved' .. said, 'AgentDone' })
  end
end

---@param context agent_lsp.RowContext
---@return agent_lsp.Row
function M.of(context)
  local message = context.message
  local kind = message.ask or message.say or ''
  local row = (MAKERS[kind] or asks.makers[kind] or remark)(context)
  if message.state == 'interrupted' and #row.lines > 0 then
    row:line({ '  cut off', 'AgentHint' })
  end
  local progress = message.progress
  if progress and progress.icon == 'error' then
    row:line({ '  ✗ ' .. (progress.text or 'not done'), 'AgentError' })
  end
  add_answer(row, message)
  if context.waits then
    row.is_compact = false
    asks.add_keys(row, context)
  end
  return row
end

return M
