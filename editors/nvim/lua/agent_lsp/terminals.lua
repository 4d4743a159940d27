-- The user's own terminals: what runs in them, and the end of what they show, for when the user mentions them.

local M = {}

local LINES = 200
local CHARACTERS = 20000

local codes = {} ---@type table<integer, integer> exit codes by buffer: Neovim forgets a job that has ended

---@param buffer integer
---@return string
local function shown(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, -LINES - 1, -1, false)
  local text = vim.trim(table.concat(lines, '\n'))
  return vim.fn.strcharpart(text, math.max(0, vim.fn.strchars(text) - CHARACTERS))
end

---@param buffer integer
---@return agent_lsp.TerminalParams
local function described(buffer)
  local cwd, command = vim.api.nvim_buf_get_name(buffer):match('^term://(.-)//%d+:(.*)$')
  local title = vim.b[buffer].term_title
  return {
    name = title and not vim.startswith(title, 'term://') and title or ('terminal %d'):format(buffer),
    cwd = cwd and vim.fn.fnamemodify(cwd, ':p'),
    command = command,
    isRunning = vim.fn.jobwait({ vim.bo[buffer].channel }, 0)[1] == -1,
    exitCode = codes[buffer],
    output = shown(buffer),
  }
end

---@param buffer integer
---@param code integer?
function M.ended(buffer, code)
  codes[buffer] = code
end

---@return agent_lsp.TerminalParams[]? nil where there is none
function M.list()
  local found = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == 'terminal' then
      table.insert(found, described(buffer))
    end
  end
  return found[1] and found
end

return M
