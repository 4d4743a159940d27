-- How Neovim starts and talks to the server: `vim.lsp.enable('agent_lsp')` finds this file. What is done with what the
-- server says lives in lua/agent_lsp/.

---@type vim.lsp.Config
return {
  cmd = function(dispatchers, config)
    return require('agent_lsp.server').spawn(dispatchers, config)
  end,
  root_dir = function(buffer, on_dir)
    require('agent_lsp.server').root(buffer, on_dir)
  end,
  reuse_client = function(client, config)
    -- One agent for the whole editor, whichever folder a file is in.
    return client.name == config.name
  end,
  capabilities = {
    experimental = {
      agent = {
        protocolVersion = 1,
        messages = vim.empty_dict(),
        save = vim.empty_dict(),
        diagnostics = vim.empty_dict(),
        editorContext = vim.empty_dict(),
      },
    },
  },
  before_init = function(params, config)
    require('agent_lsp.server').before_init(params, config)
  end,
  on_init = function(client)
    require('agent_lsp.server').on_init(client)
  end,
  on_exit = function(code, signal)
    require('agent_lsp.server').on_exit(code, signal)
  end,
  handlers = {
    ['agent/message'] = function(_, notice)
      require('agent_lsp.agent').receive('message', notice)
    end,
    ['agent/messageDelta'] = function(_, notice)
      require('agent_lsp.agent').receive('delta', notice)
    end,
    ['agent/state'] = function(_, status)
      require('agent_lsp.agent').receive('status', status)
    end,
    ['agent/save'] = function(_, params)
      return require('agent_lsp.documents').save(params)
    end,
    ['agent/diagnostics'] = function(_, params, context)
      return require('agent_lsp.diagnostics').find(params, context)
    end,
    ['workspace/applyEdit'] = function(_, params, context)
      return require('agent_lsp.edits').apply(params, context)
    end,
    ['window/showMessage'] = function(_, params)
      require('agent_lsp.notify').show(params.message, params.type)
    end,
    ['window/showMessageRequest'] = function(_, params)
      return require('agent_lsp.questions').ask(params)
    end,
  },
}
