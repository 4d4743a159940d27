-- The small buffer that words are written in, and how what is written there is read: `/` words at its beginning set
-- something. What `@` words mention is the server's to find.

local config = require('agent_lsp.config')

local M = {}

local NAME = '[Agent prompt]'
local MARKS = vim.api.nvim_create_namespace('agent_lsp_prompt')

local buffer ---@type integer?

---@class agent_lsp.Prompt
---@field text string
---@field is_new boolean it wants a task of its own
---@field mode? string
---@field permission_mode? string
---@field images? string[] data URLs

---@return integer?
function M.buffer()
  return buffer and vim.api.nvim_buf_is_valid(buffer) and buffer or nil
end

---@param text string
---@return agent_lsp.Prompt
function M.read(text)
  local prompt = { is_new = false, text = '' }
  local choices = require('agent_lsp.choices')
  while true do
    local word, rest = text:match('^%s*/([%w_-]+)%f[%s%z](.*)$')
    if word == 'new' then
      prompt.is_new = true
    elseif word and vim.tbl_contains(choices.permission_modes(), word) then
      prompt.permission_mode = word
    elseif word and vim.tbl_contains(choices.modes(), word) then
      prompt.mode = word
    else
      break
    end
    text = rest
  end
  prompt.text = vim.trim(text)
  return prompt
end

---@return string
function M.text()
  local at = M.buffer()
  return at and vim.trim(table.concat(vim.api.nvim_buf_get_lines(at, 0, -1, true), '\n')) or ''
end

---@return string
local function purpose()
  return require('agent_lsp.asks').purpose_of_words(require('agent_lsp.agent').task.status, config.get().keys)
end

---Say what there is to see of the prompt beside its words.
function M.hint()
  local at = assert(M.buffer())
  -- What is not sent yet is no reason to keep Neovim from ending.
  vim.bo[at].modified = false
  vim.api.nvim_buf_clear_namespace(at, MARKS, 0, -1)
  local pictures = require('agent_lsp.images').names()
  local last = vim.api.nvim_buf_line_count(at) - 1
  vim.api.nvim_buf_set_extmark(at, MARKS, last, 0, {
    virt_lines = vim.tbl_map(function(name)
      return { { '+ ' .. name, 'AgentInfo' } }
    end, pictures),
  })
  if M.text() == '' and #pictures == 0 then
    vim.api.nvim_buf_set_extmark(at, MARKS, 0, 0, {
      virt_text = { { purpose() .. '  @ files · / modes', 'AgentHint' } },
      virt_text_pos = 'overlay',
    })
  end
end

---Say what words are for, where the prompt is.
function M.task_changed()
  if M.buffer() then
    M.hint()
  end
end

---@param text string
function M.set(text)
  local at = M.buffer()
  if at then
    vim.api.nvim_buf_set_lines(at, 0, -1, true, vim.split(text, '\n', { plain = true }))
    M.hint()
  end
end

---Send words, with the pictures that were kept for them.
---@param prompt agent_lsp.Prompt
---@param failed? fun()
function M.deliver(prompt, failed)
  local images = require('agent_lsp.images')
  local kept = images.kept()
  prompt.images = #kept > 0 and images.take() or nil
  require('agent_lsp.agent').send(prompt, {
    failed = function()
      images.keep(vim.list_extend(vim.list_slice(kept), images.kept()))
      if failed then
        failed()
      end
    end,
  })
  if M.buffer() then
    M.hint()
  end
end

function M.send()
  local text = M.text()
  if text == '' and #require('agent_lsp.images').kept() == 0 then
    return
  end
  M.set('')
  M.deliver(M.read(text), function()
    -- What was written is not lost, unless something else was written since.
    M.set(M.text() == '' and text or M.text() .. '\n' .. text)
  end)
end

---@param at integer
local function set_keys(at)
  local keys = config.get().keys
  local function map(mode, key, action, about)
    if key then
      vim.keymap.set(mode, key, action, { buffer = at, nowait = true, desc = 'Agent: ' .. about })
    end
  end
  map('n', keys.send, M.send, 'send')
  map('i', keys.send_in_insert, M.send, 'send')
  map('n', keys.stop, function()
    require('agent_lsp.agent').cancel()
  end, 'stop')
end

---@param at integer
local function watch(at)
  local group = vim.api.nvim_create_augroup('agent_lsp_prompt', {})
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = at, callback = callback })
  end
  on({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, M.hint)
  on('TextChangedI', function()
    require('agent_lsp.completion').offer()
  end)
  on('BufEnter', function()
    require('agent_lsp.completion').gather()
    require('agent_lsp.choices').learn()
  end)
  on('BufWriteCmd', M.send)
end

---The buffer, made where there is none yet.
---@return integer
function M.open()
  if M.buffer() then
    return assert(buffer)
  end
  buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, NAME)
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile = 'acwrite', false
  vim.bo[buffer].filetype = 'agentprompt'
  vim.bo[buffer].completefunc = "v:lua.require'agent_lsp.completion'.complete"
  vim.bo[buffer].omnifunc = vim.bo[buffer].completefunc
  vim.bo[buffer].completeopt = 'menuone,noselect'
  set_keys(buffer)
  watch(buffer)
  M.hint()
  return buffer
end

return M
