-- `:checkhealth agent_lsp`: whether all is there that the agent needs, and what to do where it is not.

local M = {}

local function check_editor()
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  else
    vim.health.error('Neovim 0.11 or newer is needed; this is ' .. tostring(vim.version()))
  end
  if vim.treesitter.language.add('markdown') then
    vim.health.ok('the Markdown parser is there')
  else
    vim.health.warn('there is no Markdown parser; the task is shown as plain text')
  end
end

local function check_settings()
  local problem = require('agent_lsp.config').problem(vim.g.agent_lsp or {})
  if problem then
    vim.health.error(problem)
  else
    vim.health.ok('the settings are understood')
  end
end

local function check_profiles()
  local profiles = require('agent_lsp.choices').profiles()
  if #profiles > 0 then
    vim.health.ok('profiles of models: ' .. table.concat(profiles, ', '))
  else
    vim.health.warn('no model is set up', { '`agent-lsp configure` in a terminal asks for one' })
  end
end

local function check_server()
  local server = require('agent_lsp.server')
  local problem = server.problem()
  if problem then
    return vim.health.error(problem, { 'uv tool install . (in a clone of the repository)', ':help agent-lsp-install' })
  end
  local command = require('agent_lsp.config').get().cmd
  vim.health.ok(('`%s` is %s'):format(command[1], vim.fn.exepath(command[1])))
  if server.client() then
    vim.health.ok(('the server runs, version %s, in %s'):format(server.version(), server.folder()))
    check_profiles()
  else
    vim.health.info('the server does not run now; :Agent starts it')
  end
  if vim.fn.executable('git') == 0 then
    vim.health.warn('git is not there: no checkpoints are taken')
  end
end

function M.check()
  vim.health.start('agent-lsp')
  check_editor()
  check_settings()
  check_server()
end

return M
