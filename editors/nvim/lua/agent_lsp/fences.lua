-- Which lines of Markdown are code, and which only fence it: told line by line, so that text can grow.

---@class agent_lsp.Fences
---@field private open string? the fence that is open
local Fences = {}
Fences.__index = Fences

---@return agent_lsp.Fences
function Fences.new()
  return setmetatable({}, Fences)
end

---@private
---@param line string
---@return boolean
function Fences:is_fence(line)
  local fence = line:match('^ ? ? ?(```+)') or line:match('^ ? ? ?(~~~+)')
  if not self.open or not fence then
    return fence ~= nil
  end
  return fence:sub(1, 1) == self.open:sub(1, 1) and #fence >= #self.open and line:match('^%s*[`~]+%s*$') ~= nil
end

---Take the next whole line, and say what it is; nil for prose.
---@param line string
---@return 'fence'|'code'|nil
function Fences:take(line)
  if self:is_fence(line) then
    self.open = not self.open and (line:match('```+') or line:match('~~~+')) or nil
    return 'fence'
  end
  return self.open and 'code' or nil
end

---The fence that would close what is open, if anything is.
---@return string?
function Fences:closing()
  return self.open
end

return Fences
