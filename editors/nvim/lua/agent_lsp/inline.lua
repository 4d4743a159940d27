-- A change that waits, in the lines of the open files that it is about: what would go is coloured, what would come
-- stands below as virtual lines. The text itself is not touched.

local agent = require('agent_lsp.agent')
local config = require('agent_lsp.config')

local M = {}

local MARKS = vim.api.nvim_create_namespace('agent_lsp_inline')

local marked = {} ---@type integer[] buffers

local function clear()
  for _, buffer in ipairs(marked) do
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.api.nvim_buf_clear_namespace(buffer, MARKS, 0, -1)
    end
  end
  marked = {}
end

---@class agent_lsp.InlinePlan
---@field removed integer[] lines from 0
---@field added table<integer, string[]> by the line from 0 that they come before

---@param buffer integer
---@param hunk agent_lsp.Hunk
---@return agent_lsp.InlinePlan? nil where the text is not the one that the hunk is about
local function planned(buffer, hunk)
  local plan = { removed = {}, added = {} }
  local at = hunk.startLine - 1
  for _, line in ipairs(hunk.lines or {}) do
    local mark, text = line:sub(1, 1), line:sub(2):gsub('[\r\n]+$', '')
    if mark == '+' then
      plan.added[at] = plan.added[at] or {}
      table.insert(plan.added[at], text)
    elseif mark == '-' or mark == ' ' then
      if vim.api.nvim_buf_get_lines(buffer, at, at + 1, false)[1] ~= text then
        return nil
      end
      if mark == '-' then
        table.insert(plan.removed, at)
      end
      at = at + 1
    end
  end
  return plan
end

---@param buffer integer
---@param plan agent_lsp.InlinePlan
local function draw(buffer, plan)
  for _, line in ipairs(plan.removed) do
    vim.api.nvim_buf_set_extmark(buffer, MARKS, line, 0, { line_hl_group = 'AgentRemovedLine' })
  end
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  for line, texts in pairs(plan.added) do
    local virtual = vim.tbl_map(function(text)
      -- As wide as the lines around it; what does not fit is not drawn.
      return { { text, 'AgentAddedLine' }, { (' '):rep(vim.o.columns), 'AgentAddedLine' } }
    end, texts)
    local is_first = line == 0
    local row = math.min(math.max(line - 1, 0), math.max(last, 0))
    vim.api.nvim_buf_set_extmark(buffer, MARKS, row, 0, { virt_lines = virtual, virt_lines_above = is_first })
  end
end

---@param ts integer
---@param change agent_lsp.Change
local function draw_change(ts, change)
  local buffer = require('agent_lsp.documents').buffer_of(change.uri)
  if not buffer then
    return
  end
  table.insert(marked, buffer)
  local decided = agent.task:decisions(ts)
  for _, hunk in ipairs(change.hunks) do
    local plan = decided[hunk.id] ~= 'reject' and planned(buffer, hunk)
    if plan then
      draw(buffer, plan)
    end
  end
end

---Show the change that waits, and no other.
function M.show()
  clear()
  local ask = agent.task:ask()
  if not ask or not config.get().inline or require('agent_lsp.diff').is_here() then
    return
  end
  for _, change in ipairs(agent.task:changes(ask.ts)) do
    if change.uri:find('^file:') then
      draw_change(ask.ts, change)
    end
  end
end

return M
