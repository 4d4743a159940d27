-- Words that wait until the task rests: shown in the order in which the model is going to hear them, to be changed,
-- taken out, or moved to the front.

local agent = require('agent_lsp.agent')
local notify = require('agent_lsp.notify')
local server = require('agent_lsp.server')

local M = {}

---@param params agent_lsp.QueueParams
---@param done fun(list: agent_lsp.QueueList)
local function ask(params, done)
  params.taskId = agent.task:id()
  server.request('agent/queue', params, done)
end

---@param words agent_lsp.QueuedWords
local function take_back(words)
  ask({ op = 'remove', messageId = words.messageId }, function()
    local prompt = require('agent_lsp.prompt')
    require('agent_lsp.windows').write()
    prompt.set(prompt.text() == '' and words.text or prompt.text() .. '\n' .. words.text)
  end)
end

---@param list agent_lsp.QueueList
local function show(list)
  if #list.words == 0 then
    return notify.tell('No words wait.')
  end
  local function with_words(action)
    return function(line)
      action(list.words[line])
    end
  end
  require('agent_lsp.dialog').open({
    title = 'Words that wait',
    lines = vim.tbl_map(function(words)
      return notify.flat(words.text)
    end, list.words),
    first_line = 1,
    hint = '<CR> back to the prompt · d drop · f to the front · q leave them',
    keys = {
      ['<CR>'] = with_words(take_back),
      d = with_words(function(words)
        ask({ op = 'remove', messageId = words.messageId }, show)
      end),
      f = with_words(function(words)
        ask({ op = 'move', messageId = words.messageId, position = 0 }, show)
      end),
    },
  })
end

---Show the words that wait.
function M.open()
  if not agent.task:id() then
    return notify.tell('There is no task here.')
  end
  ask({ op = 'list' }, show)
end

return M
