-- What the user can set: in `vim.g.agent_lsp`, or by `require('agent_lsp').setup{}`, which lies over it. What is set
-- here is this editor's; settings of the agent itself are the server's own (`settings`, or its file).

local M = {}

---@class agent_lsp.Keys each a key, or false for none
---@field approve string|false
---@field reject string|false
---@field always string|false
---@field answer string|false
---@field accept_hunk string|false
---@field reject_hunk string|false
---@field next_hunk string|false
---@field previous_hunk string|false
---@field diff string|false
---@field unfold string|false
---@field stop string|false
---@field send string|false
---@field send_in_insert string|false

---@class agent_lsp.Config
---@field cmd string[] the server and its arguments
---@field address string of a server that runs already, as in `127.0.0.1:7777`; empty to start one
---@field token string that this server wants, if it does
---@field settings table what is sent as the settings `agent.*`
---@field width number of the view: a part of the screen below 1, else columns
---@field prompt_height integer
---@field inline boolean show a proposed change in the lines that it is about
---@field keys agent_lsp.Keys

---@type agent_lsp.Config
local DEFAULTS = {
  cmd = { 'agent-lsp', '--stdio' },
  address = '',
  token = '',
  settings = {},
  width = 0.42,
  prompt_height = 5,
  inline = true,
  keys = {
    approve = 'ga',
    reject = 'gr',
    always = 'gA',
    answer = 'gs',
    accept_hunk = 'gh',
    reject_hunk = 'gH',
    next_hunk = ']h',
    previous_hunk = '[h',
    diff = 'gd',
    unfold = '<Tab>',
    stop = '<C-c>',
    send = '<CR>',
    send_in_insert = '<C-s>',
  },
}

---@type agent_lsp.Config?
local current

---@param wanted table
---@param fallback table
---@param path string
---@return string? problem
local function problem_in(wanted, fallback, path)
  for name, value in pairs(wanted) do
    local known = fallback[name]
    local place = path .. tostring(name)
    if known == nil then
      return ('there is no setting `%s`'):format(place)
    elseif path == 'keys.' then
      if type(value) ~= 'string' and value ~= false then
        return ('`%s` is a key, or false'):format(place)
      end
    elseif type(value) ~= type(known) then
      return ('`%s` is a %s, not a %s'):format(place, type(known), type(value))
    elseif name == 'keys' then
      local problem = problem_in(value, known, 'keys.')
      if problem then
        return problem
      end
    end
  end
end

---Why these settings cannot be taken, as one sentence; nil where they can.
---@param wanted any
---@return string?
function M.problem(wanted)
  if type(wanted) ~= 'table' then
    return 'agent-lsp: its settings are a table; see :help agent-lsp-config.'
  end
  local problem = problem_in(wanted, DEFAULTS, '')
  if not problem and wanted.cmd and (#wanted.cmd == 0 or type(wanted.cmd[1]) ~= 'string') then
    problem = '`cmd` begins with the name of a program'
  elseif not problem and wanted.address and wanted.address ~= '' and not wanted.address:find('^.+:%d+$') then
    problem = '`address` is a host and a port, as in `127.0.0.1:7777`'
  end
  return problem and ('agent-lsp: %s; see :help agent-lsp-config.'):format(problem)
end

---@param wanted table
---@return agent_lsp.Config
local function completed(wanted)
  local config = vim.tbl_extend('force', DEFAULTS, wanted)
  config.keys = vim.tbl_extend('force', DEFAULTS.keys, wanted.keys or {})
  return config
end

---@param wanted table?
function M.set(wanted)
  local all = vim.tbl_deep_extend('force', vim.g.agent_lsp or {}, wanted or {})
  local problem = M.problem(all)
  if problem then
    require('agent_lsp.notify').warn(problem)
  end
  current = completed(problem and {} or all)
end

---@return agent_lsp.Config
function M.get()
  if not current then
    M.set()
  end
  return assert(current)
end

return M
