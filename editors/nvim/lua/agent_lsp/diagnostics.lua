-- What the language servers of this editor find in documents, for the server's `agent/diagnostics`.

local documents = require('agent_lsp.documents')
local positions = require('agent_lsp.positions')

local M = {}

local SETTLED_MS = 150

---@param buffer integer
---@param own integer id of our client
---@return boolean
local function has_server(buffer, own)
  return vim.iter(vim.lsp.get_clients({ bufnr = buffer })):any(function(client)
    return client.id ~= own
  end)
end

---@param buffer integer
---@param one vim.Diagnostic
---@return agent_lsp.FoundDiagnostic
local function to_wire(buffer, one)
  return {
    message = one.message,
    severity = one.severity,
    source = one.source,
    code = one.code,
    range = {
      start = positions.position(buffer, one.lnum, one.col),
      ['end'] = positions.position(buffer, one.end_lnum or one.lnum, one.end_col or one.col),
    },
  }
end

---@param uri string
---@return agent_lsp.DocumentDiagnostics?
local function item(uri)
  local buffer = documents.buffer_of(uri)
  if not buffer then
    return nil
  end
  local found = vim.tbl_filter(function(one)
    return one.source ~= 'agent'
  end, vim.diagnostic.get(buffer))
  return {
    uri = uri,
    version = vim.lsp.util.buf_versions[buffer],
    diagnostics = vim.tbl_map(function(one)
      return to_wire(buffer, one)
    end, found),
  }
end

---@param uris string[]
---@param status string
---@return agent_lsp.DiagnosticsResult
local function result(uris, status)
  local items = {}
  for _, uri in ipairs(uris) do
    table.insert(items, item(uri))
  end
  return { status = status, items = items }
end

---Wait until the diagnostics of these buffers have changed and then stood still for a moment: none says which version
---of a document it is of.
---@param buffers table<integer, true>
---@param timeout_ms integer
---@return string status
local function wait(buffers, timeout_ms)
  local running = assert(coroutine.running())
  local quiet, limit = assert(vim.uv.new_timer()), assert(vim.uv.new_timer())
  local watch ---@type integer
  local is_over = false
  local function finish(status)
    if not is_over then
      is_over = true
      vim.api.nvim_del_autocmd(watch)
      quiet:close()
      limit:close()
      coroutine.resume(running, status)
    end
  end
  watch = vim.api.nvim_create_autocmd('DiagnosticChanged', {
    callback = function(event)
      if buffers[event.buf] then
        quiet:start(
          SETTLED_MS,
          0,
          vim.schedule_wrap(function()
            finish('success')
          end)
        )
      end
    end,
  })
  limit:start(
    timeout_ms,
    0,
    vim.schedule_wrap(function()
      finish('timeout')
    end)
  )
  return coroutine.yield()
end

---@param params agent_lsp.DiagnosticsParams
---@param context lsp.HandlerContext
---@return agent_lsp.DiagnosticsResult
function M.find(params, context)
  local buffers = {}
  for _, uri in ipairs(params.uris) do
    local buffer = documents.buffer_of(uri)
    if buffer and has_server(buffer, context.client_id) then
      buffers[buffer] = true
    end
  end
  if not next(buffers) then
    return result(params.uris, 'no-server')
  end
  return result(params.uris, wait(buffers, params.timeoutMs))
end

return M
