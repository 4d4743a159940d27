-- Going back to before one's own words: what came after is hidden, and what the agent did to files since is taken back.

local agent = require('agent_lsp.agent')
local notify = require('agent_lsp.notify')
local pickers = require('agent_lsp.pickers')
local server = require('agent_lsp.server')

local M = {}

---@param restoration agent_lsp.Restoration
local function rewound(restoration)
  local prompt = require('agent_lsp.prompt')
  pickers.undo = restoration.undo
  pickers.undo_what = 'both'
  local text = restoration.rewind and restoration.rewind.text
  if text and prompt.text() == '' then
    require('agent_lsp.windows').open()
    prompt.set(text)
  end
  notify.tell('Rewound · :AgentCheckpoints undo takes that back')
  require('agent_lsp.documents').reload_soon()
end

---@param ts integer
local function confirm(ts)
  local params = { taskId = agent.task:id(), ts = ts, what = 'both', dryRun = true }
  server.request('agent/restore', params, function(plan)
    local hidden = plan.rewind and plan.rewind.hidden or 0
    local lines = pickers.plan_lines(plan)
    table.insert(lines, 1, ('hide    %d message%s'):format(hidden, hidden == 1 and '' or 's'))
    require('agent_lsp.dialog').open({
      title = 'Go back to before these words?',
      lines = lines,
      hint = 'y go back · q leave everything as it is',
      keys = {
        y = function()
          params.dryRun = nil
          server.request('agent/restore', params, rewound)
        end,
      },
    })
  end)
end

---@param ts integer
---@return string
local function line_of(ts)
  return vim.fn.strcharpart(notify.flat(agent.task:text(ts)), 0, 70)
end

---Go back to before some words of one's own, chosen from a list.
function M.choose()
  local words = agent.task:own_words()
  if #words == 0 then
    return notify.tell('There is nothing here to go back to.')
  end
  require('agent_lsp.select').open(words, { prompt = 'Go back to before', format_item = line_of }, confirm)
end

return M
