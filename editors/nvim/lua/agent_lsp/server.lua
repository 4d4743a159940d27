-- The server as a process and as a client of Neovim's: found, started, asked. What it says goes to agent.lua.

local config = require('agent_lsp.config')
local notify = require('agent_lsp.notify')

local M = {}

M.NAME = 'agent_lsp'
local MARKERS = { '.git', '.hg', '.agent-lsp' }

---@class agent_lsp.Waiting who wants the server once it is there
---@field callback fun(client: vim.lsp.Client)
---@field failed? fun()

local waiting = {} ---@type agent_lsp.Waiting[]
local is_starting = false
local offered ---@type table? what the server said of itself

---@return vim.lsp.Client?
function M.client()
  for _, client in ipairs(vim.lsp.get_clients({ name = M.NAME })) do
    if not client:is_stopped() then
      return client
    end
  end
end

---Why the server cannot be started, as one sentence; nil where it can.
---@return string?
function M.problem()
  local program = config.get().cmd[1]
  if config.get().address == '' and vim.fn.executable(program) == 0 then
    return ('`%s` is not there: install it (:help agent-lsp-install), or set `cmd`.'):format(program)
  end
end

---Whether Neovim ends. Its buffers are closed by then, and a failure would be shown to nobody, and wait for a key.
---@return boolean
function M.is_leaving()
  return vim.v.exiting ~= vim.NIL
end

---@param dispatchers vim.lsp.rpc.Dispatchers
---@param client_config vim.lsp.ClientConfig
---@return vim.lsp.rpc.PublicClient
function M.spawn(dispatchers, client_config)
  local on_exit, notification = dispatchers.on_exit, dispatchers.notification
  local server_request = dispatchers.server_request
  local quiet = vim.tbl_extend('force', dispatchers, {
    on_exit = function(code, signal)
      -- Neovim's own words on a failure do not fit into a line and ask for Enter; ours follow in `on_exit`.
      M.exit = { code = code, signal = signal }
      on_exit(0, 0)
    end,
    notification = function(method, params)
      if not M.is_leaving() then
        notification(method, params)
      end
    end,
    server_request = function(method, params)
      if M.is_leaving() then
        return nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.RequestCancelled, 'Neovim ends.')
      end
      return server_request(method, params)
    end,
  })
  local host, port = config.get().address:match('^(.+):(%d+)$')
  if host then
    return vim.lsp.rpc.connect(host, assert(tonumber(port)))(quiet)
  end
  local extra = { cwd = client_config.root_dir, env = client_config.cmd_env }
  return vim.lsp.rpc.start(config.get().cmd, quiet, extra)
end

---The folder that the agent works in.
---@return string
function M.folder()
  local client = M.client()
  return client and client.root_dir or vim.fs.root(vim.uv.cwd() or '.', MARKERS) or vim.uv.cwd() or '.'
end

---For `vim.lsp.enable`: where the file belongs to; without a server to start, nothing is.
---@param buffer integer
---@param on_dir fun(folder: string)
function M.root(buffer, on_dir)
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= '' or name:find('^%w[%w+.-]+://') or M.problem() then
    return
  end
  local client = M.client()
  on_dir(client and client.root_dir or vim.fs.root(buffer, MARKERS) or M.folder())
end

---@param params lsp.InitializeParams
function M.before_init(params)
  is_starting = true
  local settings, token = config.get().settings, config.get().token
  if next(settings) or token ~= '' then
    params.initializationOptions = { agent = next(settings) and settings or nil }
    params.initializationOptions.agentToken = token ~= '' and token or nil
  end
end

---@param client vim.lsp.Client
function M.on_init(client)
  is_starting = false
  offered = vim.tbl_get(client.server_capabilities, 'experimental', 'agent')
  M.attach_all()
  local ready = waiting
  waiting = {}
  require('agent_lsp.agent').connected(function()
    require('agent_lsp.choices').learn()
    for _, one in ipairs(ready) do
      one.callback(client)
    end
  end)
end

---@param code integer
---@param signal integer
function M.on_exit(code, signal)
  local exit = M.exit or { code = code, signal = signal }
  local disappointed = waiting
  M.exit, is_starting, waiting = nil, false, {}
  vim.schedule(function()
    for _, one in ipairs(disappointed) do
      if one.failed then
        one.failed()
      end
    end
    if not M.is_leaving() then
      require('agent_lsp.agent').disconnected(exit.code, exit.signal)
    end
  end)
end

---@param buffer integer
---@return boolean
local function is_file(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  return vim.api.nvim_buf_is_loaded(buffer)
    and vim.bo[buffer].buftype == ''
    and name ~= ''
    and not name:find('^%w[%w+.-]+://')
end
M.is_file = is_file

---Give a file to the server, whatever its type: what it does not have open, it reads from the disk.
---@param buffer integer
function M.attach(buffer)
  local client = M.client()
  if client and client.initialized and is_file(buffer) and not vim.lsp.buf_is_attached(buffer, client.id) then
    vim.lsp.buf_attach_client(buffer, client.id)
  end
end

function M.attach_all()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(buffer)
  end
end

---Call back with the server, started if need be.
---@param callback fun(client: vim.lsp.Client)
---@param failed? fun() called where it does not start
function M.ensure(callback, failed)
  local client = M.client()
  if client and client.initialized then
    return callback(client)
  end
  local problem = M.problem()
  if problem then
    notify.warn(problem)
    return failed and failed()
  end
  table.insert(waiting, { callback = callback, failed = failed })
  if not is_starting then
    is_starting = true
    local own = vim.tbl_extend('force', vim.lsp.config[M.NAME], { name = M.NAME, root_dir = M.folder() })
    vim.lsp.start(own, { attach = false })
  end
end

---@class agent_lsp.RequestOptions
---@field failed? fun(error?: lsp.ResponseError)
---@field is_quiet? boolean a failure is not told

---Ask the server; failures are told in one line.
---@param method string
---@param params table
---@param on_result? fun(result: any)
---@param options? agent_lsp.RequestOptions
function M.request(method, params, on_result, options)
  options = options or {}
  M.ensure(function(client)
    client:request(method, next(params) and params or vim.empty_dict(), function(error, result)
      if M.is_leaving() then
        return
      end
      if not error then
        return on_result and on_result(result)
      end
      if options.failed then
        options.failed(error)
      end
      if not options.is_quiet then
        notify.warn('Agent: ' .. (error.message or method))
      end
    end)
  end, options.failed)
end

---Tell the server something, if it is there.
---@param method string
---@param params table
function M.tell(method, params)
  local client = M.client()
  if client and client.initialized then
    client:notify(method, params)
  end
end

---Whether this server knows a method.
---@param method string
---@return boolean
function M.knows(method)
  return offered ~= nil and vim.tbl_contains(offered.methods or {}, method)
end

---@return string
function M.version()
  return offered and offered.serverVersion or '?'
end

return M
