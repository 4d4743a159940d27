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

---Answer where what waits can be answered so. Words answer everything else; without any, the user has to choose.
---@param response 'yesButtonClicked'|'noButtonClicked'
---@param words? string
local function respond(response, words)
  local ask = agent.task:ask()
  if not ask or require('agent_lsp.asks').takes(ask, response) then
    return answer(response, words)
  end
  local text = words and words ~= '' and words or require('agent_lsp.prompt').text()
  if text ~= '' then
    return answer('messageResponse', words)
  end
  notify.tell('That wants more than a yes or no: choose, or write an answer.')
  require('agent_lsp.questions').choose()
end

---@param words? string
function M.approve(words)
  local diff = require('agent_lsp.diff')
  if diff.is_edited() then
    return diff.accept(words)
  end
  respond('yesButtonClicked', words)
end

---@param words? string
function M.reject(words)
  respond('noButtonClicked', words)
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
  local uri, name = vim.uri_from_bufnr(0), vim.api.nvim_buf_get_name(0)
  for _, change in ipairs(agent.task:changes(ts)) do
    local side = change.previewUri == name and 'after' or change.uri == uri and 'before'
    if side then
      local hunk = require('agent_lsp.hunks').at(change.hunks, line, side)
      return hunk and hunk.id
    end
  end
end

---@param decision agent_lsp.Decision
function M.decide(decision)
  local ask = agent.task:ask()
  local hunk = ask and hunk_here(ask.ts)
  if not ask or not hunk then
    return notify.tell(ask and 'No change under the cursor.' or 'The agent does not wait for an answer.')
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
