-- What is proposed, side by side: the file on the left, and on the right what it would become, which can be edited
-- before it is approved. Opened when the user asks for it, closed when the ask is settled.

local agent = require('agent_lsp.agent')
local facts = require('agent_lsp.facts')
local notify = require('agent_lsp.notify')

local M = {}

---@class agent_lsp.OpenDiff
---@field ts integer the ask
---@field tab integer
---@field origin integer the window it was opened from
---@field previews table<string, integer> buffers by the uri of the file

local current ---@type agent_lsp.OpenDiff?

---@param ts integer
---@param path? string
---@return agent_lsp.Change?
local function wanted_change(ts, path)
  local changes = agent.task:changes(ts)
  local view = require('agent_lsp.view')
  local index = 1
  if not path and vim.api.nvim_get_current_buf() == view.buffer() then
    local at, place = view.at(vim.api.nvim_win_get_cursor(0)[1] - 1)
    index = at == ts and place and place.change or 1
  end
  for at, change in ipairs(changes) do
    if change.path == path then
      index = at
    end
  end
  return changes[index]
end

---@param change agent_lsp.Change
---@return integer
local function left_buffer(change)
  if change.kind == 'create' then
    return vim.api.nvim_create_buf(false, true)
  end
  local buffer = vim.uri_to_bufnr(change.uri)
  local shortmess = vim.o.shortmess
  -- A swap file of another Neovim is no reason to ask anything here.
  vim.opt.shortmess:append('A')
  vim.fn.bufload(buffer)
  vim.o.shortmess = shortmess
  vim.bo[buffer].buflisted = true
  return buffer
end

---@param change agent_lsp.Change
---@return integer
local function right_buffer(change)
  if change.kind == 'delete' then
    return vim.api.nvim_create_buf(false, true)
  end
  local buffer = vim.fn.bufadd(change.previewUri)
  vim.fn.bufload(buffer)
  return buffer
end

---@param text string
---@return string
local function escaped(text)
  return (text:gsub('%%', '%%%%'))
end

---@class agent_lsp.DiffSide
---@field bar string
---@field name string for the status line, where there would be a uri
---@field colours string what lines that only this side has look like

---@param buffer integer
---@param side agent_lsp.DiffSide
local function show_side(buffer, side)
  vim.api.nvim_win_set_buf(0, buffer)
  local options = {
    winbar = side.bar,
    statusline = (' %s'):format(escaped(side.name)),
    winhighlight = ('DiffAdd:%s,DiffDelete:AgentHint'):format(side.colours),
    fillchars = 'diff:╱',
  }
  for option, value in pairs(options) do
    vim.api.nvim_set_option_value(option, value, { win = 0, scope = 'local' })
  end
  vim.cmd.diffthis()
end

---The keys of the side that is proposed; the file keeps its own.
---@param buffer integer
local function set_keys(buffer)
  for _, name in ipairs({ 'approve', 'reject', 'always', 'accept_hunk', 'reject_hunk' }) do
    require('agent_lsp.keys').map(buffer, name)
  end
  local keys = require('agent_lsp.config').get().keys
  for key, builtin in pairs({ [keys.next_hunk or 0] = ']c', [keys.previous_hunk or 0] = '[c' }) do
    if key ~= 0 then
      vim.keymap.set('n', key, builtin, { buffer = buffer, nowait = true, desc = 'Agent: hunk' })
    end
  end
end

---@param change agent_lsp.Change
---@return string
local function bar(change)
  local keys = require('agent_lsp.config').get().keys
  local hints = {
    (keys.approve or ':AgentApprove') .. ' approve',
    (keys.reject or ':AgentReject') .. ' reject',
    ':w as edited',
  }
  if #change.hunks > 1 then
    local take, leave = keys.accept_hunk or ':AgentAcceptHunk', keys.reject_hunk or ':AgentRejectHunk'
    table.insert(hints, ('%s/%s hunk'):format(take, leave))
  end
  return ('%%#AgentHint# %s%%<%%*'):format(table.concat(hints, ' · '))
end

---@param ts integer
---@param change agent_lsp.Change
local function open_tab(ts, change)
  local origin = vim.api.nvim_get_current_win()
  local previews = current and current.ts == ts and current.previews or {}
  if current and vim.api.nvim_tabpage_is_valid(current.tab) then
    origin = current.origin
    vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(current.tab))
  end
  vim.cmd.tabnew()
  local empty = vim.api.nvim_get_current_buf()
  local left = { bar = '%#AgentHint# as it is%*', name = change.path, colours = 'AgentRemovedLine' }
  show_side(left_buffer(change), left)
  vim.cmd('rightbelow vsplit')
  local right = right_buffer(change)
  show_side(right, { bar = bar(change), name = change.path .. ', as proposed', colours = 'AgentAddedLine' })
  set_keys(right)
  previews[change.uri] = right
  current = { ts = ts, tab = vim.api.nvim_get_current_tabpage(), origin = origin, previews = previews }
  if vim.api.nvim_buf_is_valid(empty) and vim.api.nvim_buf_get_name(empty) == '' then
    vim.api.nvim_buf_delete(empty, {})
  end
  M.tab_entered()
end

---Whether a diff of what waits is on the screen.
---@return boolean
function M.is_here()
  return current ~= nil and vim.api.nvim_get_current_tabpage() == current.tab
end

---What else shows the same change is left out beside a diff.
function M.tab_entered()
  require('agent_lsp.inline').show()
  require('agent_lsp.bell').ring()
end

local KEYS = { yesButtonClicked = 'y', noButtonClicked = 'n' }

---The keys of a float that answer an ask, and what they are called there.
---@param ask agent_lsp.WaitingAsk
---@return table<string, fun()>
---@return string[]
local function answers_of(ask)
  local keys, hints = {}, {}
  for _, action in ipairs(ask.actions or {}) do
    local key = KEYS[action.response]
    if key then
      table.insert(hints, ('%s %s'):format(key, action.label:lower()))
      keys[key] = function()
        agent.answer(action.response, { ts = ask.ts })
      end
    end
  end
  return keys, hints
end

---A float with what is asked, for what has no diff.
---@param ask agent_lsp.WaitingAsk
local function open_dialog(ask)
  local text = agent.task:text(ask.ts)
  local is_command = ask.kind == 'command'
  local keys, hints = answers_of(ask)
  if facts.remember(text) then
    keys.a = require('agent_lsp.questions').always
    table.insert(hints, 'a always')
  end
  table.insert(hints, 'q not now')
  local words = is_command and facts.words(facts.json(text).command) or require('agent_lsp.summary').of(ask.kind, text)
  require('agent_lsp.dialog').open({
    title = is_command and 'Run this command?' or 'The agent asks',
    lines = vim.split(words, '\n', { plain = true }),
    filetype = is_command and 'sh' or nil,
    hint = table.concat(hints, ' · '),
    keys = keys,
  })
end

---Show what waits: a change side by side, all else in a float.
---@param path? string of the change
function M.open(path)
  local ask = agent.task:ask()
  if not ask then
    return notify.tell('The agent does not wait for an answer.')
  elseif not require('agent_lsp.asks').takes(ask, 'yesButtonClicked') then
    return require('agent_lsp.questions').choose()
  end
  local change = wanted_change(ask.ts, path)
  if change then
    open_tab(ask.ts, change)
  else
    open_dialog(ask)
  end
end

---@param buffer integer
---@return boolean
local function is_changed(buffer)
  return vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].modified
end

---Whether the user changed something in what is proposed.
---@return boolean
function M.is_edited()
  local ask = agent.task:ask()
  if not current or not ask or current.ts ~= ask.ts then
    return false
  end
  return vim.iter(current.previews):any(function(_, buffer)
    return is_changed(buffer)
  end)
end

---Approve what stands on the right, with all that the user made of it.
---@param words? string
function M.accept(words)
  local open = current
  if not open or not M.is_edited() then
    return require('agent_lsp.keys').approve(words)
  end
  local edited = {}
  for uri, buffer in pairs(open.previews) do
    if is_changed(buffer) then
      table.insert(edited, { uri = uri, text = require('agent_lsp.documents').text(buffer) })
    end
  end
  agent.answer('objectResponse', {
    ts = open.ts,
    text = words,
    edited = edited,
    accepted = function()
      for _, buffer in pairs(open.previews) do
        vim.bo[buffer].modified = false
      end
      M.settled()
    end,
  })
end

---@param open agent_lsp.OpenDiff
local function close(open)
  local is_here = vim.api.nvim_get_current_tabpage() == open.tab
  if vim.api.nvim_tabpage_is_valid(open.tab) and #vim.api.nvim_list_tabpages() > 1 then
    vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(open.tab))
  end
  if is_here and vim.api.nvim_win_is_valid(open.origin) then
    vim.api.nvim_set_current_win(open.origin)
  end
  for _, buffer in pairs(open.previews) do
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end
end

---Close the diff of an ask that does not wait any more. What the user wrote there and did not send stays.
function M.settled()
  local ask = agent.task:ask()
  if not current or (ask and ask.ts == current.ts) or vim.fn.getcmdwintype() ~= '' then
    return
  end
  local is_edited = vim.iter(current.previews):any(function(_, buffer)
    return is_changed(buffer)
  end)
  if not is_edited then
    local open = current
    current = nil
    close(open)
  end
end

return M
