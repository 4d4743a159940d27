-- One message as lines: a small builder that the kinds of messages are written with. It knows no buffer.

---@class agent_lsp.Mark what is coloured: a part of a line, or all of it where there is no `from`
---@field line integer from 0, within the row
---@field group? string
---@field from? integer
---@field to? integer
---@field is_hidden? boolean the line is not shown at all

---@class agent_lsp.HunkPlace
---@field hunk string
---@field change integer which change of the message

---@class agent_lsp.Row
---@field lines string[]
---@field marks agent_lsp.Mark[]
---@field hunks table<integer, agent_lsp.HunkPlace> by line from 0
---@field is_compact boolean one line among others like it, with no space around
---@field grows boolean what comes can be appended as it is
---@field group? string of lines that are appended
---@field fences? agent_lsp.Fences of Markdown that grows: those of its whole lines
local Row = {}
Row.__index = Row

---@return agent_lsp.Row
function Row.new()
  return setmetatable({ lines = {}, marks = {}, hunks = {}, is_compact = false, grows = false }, Row)
end

---A line of pieces, each a text or a text with its group.
---@param ... string|{[1]: string, [2]: string}
---@return agent_lsp.Row
function Row:line(...)
  local text = ''
  for _, piece in ipairs({ ... }) do
    local words, group = piece, nil
    if type(piece) == 'table' then
      words, group = piece[1], piece[2]
    end
    words = words:gsub('[\r\n]+', ' ')
    if group and words ~= '' then
      table.insert(self.marks, { line = #self.lines, group = group, from = #text, to = #text + #words })
    end
    text = text .. words
  end
  table.insert(self.lines, text)
  return self
end

---Lines of a text, in one colour if there is a group.
---@param text string
---@param group? string
---@return agent_lsp.Row
function Row:text(text, group)
  for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
    if group then
      table.insert(self.marks, { line = #self.lines, group = group })
    end
    -- What ends in a carriage return is shown as it would be in a file.
    table.insert(self.lines, (line:gsub('\r$', '')))
  end
  return self
end

---A line of Markdown, of which `Fences:take` said what it is.
---@param line string
---@param kind 'fence'|'code'|nil
---@return agent_lsp.Row
function Row:markdown(line, kind)
  if kind == 'fence' then
    return self:hidden(line)
  end
  return self:text(line, kind == 'code' and 'AgentCode' or nil)
end

---What is coloured where it has grown by these lines, the last of which may not be whole yet.
---@param lines string[]
---@return agent_lsp.Mark[]
function Row:grown(lines)
  local marks = {}
  for n = 1, #lines - 1 do
    local kind = self.fences and self.fences:take(lines[n])
    if kind == 'fence' then
      table.insert(marks, { line = n - 1, is_hidden = true })
    elseif kind == 'code' then
      table.insert(marks, { line = n - 1, group = 'AgentCode' })
    elseif self.group then
      table.insert(marks, { line = n, group = self.group })
    end
  end
  return marks
end

---@param text string
---@return string
local function fence_for(text)
  local longest = 2
  for ticks in text:gmatch('`+') do
    longest = math.max(longest, #ticks)
  end
  return ('`'):rep(longest + 1)
end

---Lines that are not Markdown; what is in them cannot end them.
---@param text string
---@param group? string
---@param language? string
---@return agent_lsp.Row
function Row:code(text, group, language)
  local fence = fence_for(text)
  self:hidden(fence .. (language or ''))
  local first = #self.lines
  self:text(text, 'AgentCode')
  for line = first, group and #self.lines - 1 or -1 do
    table.insert(self.marks, { line = line, group = group })
  end
  return self:hidden(fence)
end

---A line that is there for Markdown alone.
---@param text string
---@return agent_lsp.Row
function Row:hidden(text)
  table.insert(self.marks, { line = #self.lines, is_hidden = true })
  table.insert(self.lines, text)
  return self
end

---@return agent_lsp.Row
function Row:blank()
  table.insert(self.lines, '')
  return self
end

---@return agent_lsp.Row
function Row:compact()
  self.is_compact = true
  return self
end

return Row
