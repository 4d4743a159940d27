-- What waits for a yes, as lines: changes with their hunks, commands, questions, and the keys that answer them.

local Row = require('agent_lsp.row')
local facts = require('agent_lsp.facts')

local M = {}

local LINES_OF_A_CHANGE = 60
local LINES_GROWING = 12

local GROUPS = {
  ['+'] = 'AgentAddedLine',
  ['-'] = 'AgentRemovedLine',
  ['@'] = 'AgentHunk',
  [' '] = 'AgentContext',
}

---@param row agent_lsp.Row
---@param lines string[]
---@param place? fun(line: integer): agent_lsp.HunkPlace?
local function add_diff_lines(row, lines, place)
  local ticks = 2
  for _, line in ipairs(lines) do
    for run in line:gmatch('`+') do
      ticks = math.max(ticks, #run)
    end
  end
  local fence = ('`'):rep(ticks + 1)
  row:hidden(fence .. 'diff')
  for n, line in ipairs(lines) do
    local at = #row.lines
    row.hunks[at] = place and place(n)
    local group = GROUPS[line:sub(1, 1)]
    if group then
      table.insert(row.marks, { line = at, group = group })
    end
    table.insert(row.lines, (line:gsub('\r$', '')))
  end
  row:hidden(fence)
end

---A unified diff, without its head.
---@param row agent_lsp.Row
---@param diff string
---@return agent_lsp.Row
function M.diff(row, diff)
  local from = diff:find('@@', 1, true) or 1
  add_diff_lines(row, vim.split(diff:sub(from), '\n', { plain = true }))
  return row
end

local DECIDED = { accept = ' ✓ taken', reject = ' ✗ left out' }

---@param change agent_lsp.Change
---@param at integer which one
---@param decisions table<string, agent_lsp.Decision>
---@return string[] lines
---@return agent_lsp.HunkPlace[] places
local function hunk_lines(change, at, decisions)
  local lines, places = {}, {}
  local function add(line, hunk)
    lines[#lines + 1] = line
    places[#lines] = { hunk = hunk.id, change = at }
  end
  for _, hunk in ipairs(change.hunks or {}) do
    add(hunk.header .. (DECIDED[decisions[hunk.id]] or ''), hunk)
    for _, line in ipairs(hunk.lines or {}) do
      add((line:gsub('\n$', '')), hunk)
    end
  end
  return lines, places
end

---@param pieces (string|{[1]: string, [2]: string})[] of a line that they are put behind
---@param change agent_lsp.Change
local function add_counts(pieces, change)
  for n, count in ipairs(facts.counts(change.added, change.removed)) do
    vim.list_extend(pieces, { n == 1 and '  ' or ' ', count })
  end
end

---@param row agent_lsp.Row
---@param change agent_lsp.Change
---@param at integer
---@param context agent_lsp.RowContext
local function add_change(row, change, at, context)
  local lines, places = hunk_lines(change, at, context.decisions)
  local left_out = #lines - LINES_OF_A_CHANGE
  if left_out > 1 and not context.is_unfolded then
    lines = vim.list_slice(lines, 1, LINES_OF_A_CHANGE)
  else
    left_out = 0
  end
  if #lines > 0 then
    add_diff_lines(row, lines, function(n)
      return places[n]
    end)
  end
  if left_out > 0 then
    row:line({ ('  … %d more lines · %s shows them'):format(left_out, context.keys.unfold or ''), 'AgentHint' })
  end
end

---@param row agent_lsp.Row
---@param name string
---@param place string
---@param changes agent_lsp.Change[]
local function add_title(row, name, place, changes)
  -- What only looks is quieter than what changes something.
  local group = #changes > 0 and 'AgentTool' or 'AgentHint'
  local pieces = { { '◆ ', group }, { name, group } }
  if place ~= '' then
    vim.list_extend(pieces, { ' ', ('`%s`'):format(place) })
  end
  if #changes == 1 then
    add_counts(pieces, changes[1])
  end
  row:line(unpack(pieces))
end

---@param row agent_lsp.Row
---@param change agent_lsp.Change
local function add_change_title(row, change)
  local path = change.newPath and ('%s → %s'):format(change.path, change.newPath) or change.path
  local pieces = { ('  %s `%s`'):format(change.kind, path) }
  add_counts(pieces, change)
  row:line(unpack(pieces))
end

---@param row agent_lsp.Row
---@param ask agent_lsp.ToolFacts
local function add_warnings(row, ask)
  if ask.isProtected then
    row:line({ '  protected: this file can change what runs', 'AgentWaiting' })
  elseif ask.isOutsideWorkspace then
    row:line({ '  outside the workspace', 'AgentWaiting' })
  end
  if ask.reason then
    row:line({ '  ' .. ask.reason, 'AgentHint' })
  end
end

---@param row agent_lsp.Row
---@param growing string
local function add_growing(row, growing)
  local lines = vim.split(growing, '\n', { plain = true })
  add_diff_lines(row, vim.list_slice(lines, math.max(#lines - LINES_GROWING + 1, 1)))
end

local BOXES = { completed = '✓', in_progress = '◐' }
local DONE_OR_NOT = { completed = 'AgentHint', in_progress = 'AgentWaiting' }

---@param row agent_lsp.Row
---@param list agent_lsp.Todo[]
---@return agent_lsp.Row
function M.todos(row, list)
  for _, todo in ipairs(list) do
    local words = facts.words(todo.content)
    row:line(
      { (BOXES[todo.status] or '○') .. ' ', DONE_OR_NOT[todo.status] or 'AgentInfo' },
      todo.status == 'completed' and { words, 'AgentHint' } or words
    )
  end
  return row
end

---@type agent_lsp.RowMaker
local function tool(context)
  local ask, growing = facts.tool(context.text)
  if ask.todos and not context.waits then
    return context.is_outdated and Row.new():compact() or M.todos(Row.new(), ask.todos)
  end
  local name, place = facts.tool_title(ask)
  local changes = ask.changes or {}
  local row = Row.new()
  add_title(row, name, place, changes)
  if growing and context.message.partial == true then
    add_growing(row, growing)
    return row
  end
  local is_shown = context.waits or context.is_unfolded
  row.is_compact = not is_shown
  if is_shown then
    add_warnings(row, ask)
  end
  for at, change in ipairs(changes) do
    if #changes > 1 then
      add_change_title(row, change)
    end
    if is_shown then
      add_change(row, change, at, context)
    end
  end
  return row
end

---@param row agent_lsp.Row
---@param value table
local function add_segments(row, value)
  local segments = type(value.segments) == 'table' and value.segments or {}
  local is_mixed = vim.iter(segments):any(function(segment)
    return segment.verdict ~= segments[1].verdict
  end)
  for _, segment in ipairs(is_mixed and segments or {}) do
    if segment.verdict ~= 'auto_approve' then
      local verdict = segment.verdict == 'auto_deny' and 'denied' or 'asks'
      row:line({ ('  %s: '):format(verdict), 'AgentHint' }, ('`%s`'):format(facts.words(segment.text)))
    end
  end
end

---@type agent_lsp.RowMaker
local function command(context)
  local value = facts.json(context.text)
  local text = value.command and facts.words(value.command) or context.text
  local row = Row.new()
  if not context.waits then
    row.is_compact = true
    local first, rest = text:match('^([^\n]*)\n?(.*)$')
    return row:code(('$ %s%s'):format(first, rest ~= '' and ' …' or ''), 'AgentCommand')
  end
  row:line({ '$ Run this command?', 'AgentCommand' }):code(text, nil, 'sh')
  if value.cwd and value.cwd ~= '' and value.cwd ~= context.folder then
    row:line({ '  in ' .. facts.words(value.cwd), 'AgentHint' })
  end
  if value.isSandboxed then
    row:line({ '  in a sandbox', 'AgentHint' })
  end
  if value.reason then
    row:line({ '  ' .. facts.words(value.reason), 'AgentHint' })
  end
  add_segments(row, value)
  return row
end

---@type agent_lsp.RowMaker
local function question(context)
  local first, rest = facts.words(facts.json(context.text).question):match('^([^\n]*)\n?(.*)$')
  local row = Row.new():line({ '? ', 'AgentWaiting' }, first)
  if rest ~= '' then
    row:text(rest)
  end
  for n, suggestion in ipairs(context.waits and facts.suggestion_labels(context.text) or {}) do
    row:line({ ('  g%d '):format(n), 'AgentKey' }, suggestion)
  end
  return row
end

---@type agent_lsp.RowMaker
local function address(context)
  return Row.new():line({ '◆ Open ', 'AgentTool' }, ('`%s`'):format(facts.words(facts.json(context.text).url)))
end

---@type agent_lsp.RowMaker
local function server_tool(context)
  local value = facts.json(context.text)
  local name = ('%s: %s'):format(facts.words(value.serverName), facts.words(value.toolName or value.uri))
  local row = Row.new():line({ '◆ ', 'AgentTool' }, { name, 'AgentTool' })
  local arguments = facts.words(value.arguments)
  return context.waits and arguments ~= '' and row:code(arguments, nil, 'json') or row
end

---@type table<string, agent_lsp.RowMaker>
M.makers = {
  tool = tool,
  command = command,
  followup = question,
  browser_action_launch = address,
  use_mcp_server = server_tool,
}

---@type table<string, [string, string][]> by kind: which key does what
local KEYS = {
  tool = { { 'approve', 'approve' }, { 'reject', 'reject' } },
  command = { { 'approve', 'run' }, { 'reject', 'reject' } },
  use_mcp_server = { { 'approve', 'approve' }, { 'reject', 'reject' } },
  browser_action_launch = { { 'approve', 'approve' }, { 'reject', 'reject' } },
  followup = { { 'answer', 'choose, or write below' } },
  api_req_failed = { { 'approve', 'try again' } },
  mistake_limit_reached = { { 'approve', 'go on' } },
  auto_approval_max_req_reached = { { 'approve', 'go on' } },
  resume_task = { { 'approve', 'go on' } },
}

---@param context agent_lsp.RowContext
---@return [string, string][][] a line each
local function keys_of(context)
  local keys = vim.list_extend({}, KEYS[context.message.ask] or {})
  if facts.remember(context.text) then
    table.insert(keys, { 'always', 'always' })
  end
  local changes = context.message.ask == 'tool' and facts.tool(context.text).changes or {}
  local hunks = 0
  for _, change in ipairs(changes or {}) do
    hunks = hunks + #(change.hunks or {})
  end
  if hunks < 2 then
    return { vim.list_extend(keys, hunks > 0 and { { 'diff', 'diff' } } or {}) }
  end
  return { keys, { { 'diff', 'diff' }, { 'accept_hunk', 'take hunk' }, { 'reject_hunk', 'leave it' } } }
end

---A line that says which key does what.
---@param row agent_lsp.Row
---@param line [string, string][]
---@param keys agent_lsp.Keys
function M.key_line(row, line, keys)
  local pieces = {}
  for _, key in ipairs(line) do
    local pressed = keys[key[1]]
    if pressed then
      local space = #pieces > 0 and ' · ' or '  '
      vim.list_extend(pieces, { { space, 'AgentHint' }, { pressed, 'AgentKey' }, { ' ' .. key[2], 'AgentHint' } })
    end
  end
  if #pieces > 0 then
    row:line(unpack(pieces))
  end
end

---The lines that say how to answer.
---@param row agent_lsp.Row
---@param context agent_lsp.RowContext
function M.add_keys(row, context)
  for _, line in ipairs(keys_of(context)) do
    M.key_line(row, line, context.keys)
  end
  if context.message.ask == 'completion_result' then
    row:blank():line({ 'Write below to go on · :AgentNew for another task', 'AgentHint' })
  end
end

return M
