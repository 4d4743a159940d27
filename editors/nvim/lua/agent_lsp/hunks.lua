-- Where a hunk stands: in the file as it is, or in the text that is proposed. Values in, values out.

local M = {}

---@alias agent_lsp.Side 'before'|'after'

local SIGNS = { before = '-', after = '+' }

---@param hunk agent_lsp.Hunk
---@param side agent_lsp.Side
---@return integer line from 0, of the first line that is shown
local function start_of(hunk, side)
  if side == 'before' then
    return math.max(hunk.startLine - 1, 0)
  end
  return math.max((tonumber(hunk.header:match('%+(%d+)')) or hunk.startLine) - 1, 0)
end

---The lines of one side that a hunk is about, without those that it only shows.
---@param hunk agent_lsp.Hunk
---@param side agent_lsp.Side
---@return integer first from 0
---@return integer behind the last; where this side has none of its own, the same as `first`
function M.lines(hunk, side)
  local line = start_of(hunk, side)
  local first, behind ---@type integer?, integer?
  for _, text in ipairs(hunk.lines or {}) do
    local sign = text:sub(1, 1)
    if sign == '-' or sign == '+' then
      first, behind = first or line, behind or line
    end
    if sign == SIGNS[side] then
      behind = line + 1
    end
    if sign == SIGNS[side] or sign == ' ' then
      line = line + 1
    end
  end
  return first or line, behind or line
end

---The hunk that a line belongs to. What is only put in between belongs to the lines on both sides of it.
---@param hunks agent_lsp.Hunk[]
---@param line integer from 0
---@param side agent_lsp.Side
---@return agent_lsp.Hunk?
function M.at(hunks, line, side)
  local beside ---@type agent_lsp.Hunk?
  for _, hunk in ipairs(hunks) do
    local first, behind = M.lines(hunk, side)
    if line >= first and line < behind then
      return hunk
    elseif first == behind and (line == first or line == first - 1) then
      beside = beside or hunk
    end
  end
  return beside
end

return M
