-- The keys of the view, and what approving and rejecting means wherever it is said: by key, command or mapping.

local agent = require('agent_lsp.agent')
local config = require('agent_lsp.config')
local notify = require('agent_lsp.notify')

local M = {}

---Words that are written in the prompt go along with an answer.
---@param response string
---@param words? string
local function answer(response, words)
  local prompt = require('agent_lsp.prompt')
  local text = words and words ~= '' and words or prompt.text()
  agent.answer(response, {
    text = text,
    accepted = function()
      if text == prompt.text() then
        prompt.set('')
      end
    end,
  })
end

---@param words? string
function M.approve(words)
  local ask = agent.task:ask()
  if not ask then
    return agent.answer('yesButtonClicked')
  elseif ask.kind == 'followup' or ask.kind == 'completion_result' then
    return require('agent_lsp.questions').choose()
  end
  local diff = require('agent_lsp.diff')
  if diff.is_edited() then
    return diff.accept(words)
  end
  answer('yesButtonClicked', words)
end

---@param words? string
function M.reject(words)
  answer('noButtonClicked', words)
end

---@param line integer from 0, of a file
---@param hunks agent_lsp.Hunk[]
---@return agent_lsp.Hunk? the one at the line, or nearest above
local function hunk_at(line, hunks)
  local found = hunks[1]
  for _, hunk in ipairs(hunks) do
    if hunk.startLine - 1 <= line then
      found = hunk
    end
  end
  return found
end

---@param ts integer
---@return string? the first hunk that nothing was decided of
local function undecided(ts)
  local decided = agent.task:decisions(ts)
  for _, change in ipairs(agent.task:changes(ts)) do
    for _, hunk in ipairs(change.hunks) do
      if not decided[hunk.id] then
        return hunk.id
      end
    end
  end
end

---The hunk that the cursor is on, in the view or in a file.
---@param ts integer
---@return string?
local function hunk_here(ts)
  local view = require('agent_lsp.view')
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  if vim.api.nvim_get_current_buf() == view.buffer() then
    local at, place = view.at(line)
    return at == ts and place and place.hunk or nil
  end
  local uri = vim.uri_from_bufnr(0)
  for _, change in ipairs(agent.task:changes(ts)) do
    if change.uri == uri or change.previewUri == vim.api.nvim_buf_get_name(0) then
      local hunk = hunk_at(line, change.hunks)
      return hunk and hunk.id
    end
  end
end

---@param decision agent_lsp.Decision
function M.decide(decision)
  local ask = agent.task:ask()
  local hunk = ask and (hunk_here(ask.ts) or undecided(ask.ts))
  if not ask or not hunk then
    return notify.tell('There is no hunk to decide about.')
  end
  agent.decide(ask.ts, hunk, decision)
end

---@param step 1|-1
function M.go_to_hunk(step)
  local ask = agent.task:ask()
  local lines = ask and require('agent_lsp.view').hunk_lines(ask.ts) or {}
  local here = vim.api.nvim_win_get_cursor(0)[1] - 1
  local wanted ---@type integer?
  for _, line in ipairs(lines) do
    if step == 1 and line > here then
      wanted = wanted or line
    elseif step == -1 and line < here then
      wanted = line
    end
  end
  if wanted then
    vim.api.nvim_win_set_cursor(0, { wanted + 1, 0 })
  end
end

local function unfold()
  local view = require('agent_lsp.view')
  local ts = view.at(vim.api.nvim_win_get_cursor(0)[1] - 1)
  if ts then
    view.toggle(ts)
  end
end

local ACTIONS = {
  approve = { 'approve', M.approve },
  reject = { 'reject', M.reject },
  always = {
    'always allow',
    function()
      require('agent_lsp.questions').always()
    end,
  },
  answer = {
    'answer',
    function()
      require('agent_lsp.questions').choose()
    end,
  },
  accept_hunk = {
    'take this hunk',
    function()
      M.decide('accept')
    end,
  },
  reject_hunk = {
    'leave this hunk out',
    function()
      M.decide('reject')
    end,
  },
  next_hunk = {
    'next hunk',
    function()
      M.go_to_hunk(1)
    end,
  },
  previous_hunk = {
    'previous hunk',
    function()
      M.go_to_hunk(-1)
    end,
  },
  diff = {
    'diff',
    function()
      require('agent_lsp.diff').open()
    end,
  },
  unfold = { 'show or hide all of it', unfold },
  stop = { 'stop', agent.cancel },
}

---@param buffer integer
---@param name string
function M.map(buffer, name)
  local key = config.get().keys[name]
  if key then
    local about, action = unpack(ACTIONS[name])
    vim.keymap.set('n', key, function()
      action()
    end, { buffer = buffer, nowait = true, desc = 'Agent: ' .. about })
  end
end

---@param buffer integer the view's
function M.set(buffer)
  for name in pairs(ACTIONS) do
    M.map(buffer, name)
  end
  for n = 1, 9 do
    vim.keymap.set('n', 'g' .. n, function()
      require('agent_lsp.questions').suggest(n)
    end, { buffer = buffer, nowait = true, desc = ('Agent: answer %d'):format(n) })
  end
  vim.keymap.set('n', 'i', function()
    require('agent_lsp.windows').write()
    vim.cmd.startinsert()
  end, { buffer = buffer, nowait = true, desc = 'Agent: write' })
  vim.api.nvim_create_autocmd('CursorMoved', {
    group = vim.api.nvim_create_augroup('agent_lsp_view', {}),
    buffer = buffer,
    callback = function()
      if vim.api.nvim_win_get_cursor(0)[1] == 1 then
        agent.older()
      end
    end,
  })
end

return M
