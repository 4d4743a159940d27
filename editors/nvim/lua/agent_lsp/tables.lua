-- Tables of Markdown with their columns brought to one width, measured as they are shown: without the marks that the
-- view hides. Values in, values out.

local M = {}

---@alias agent_lsp.Alignment 'left'|'right'|'center'

---@param line string
---@return string[]? cells nil where it is no row of a table
local function cells_of(line)
  local inner = line:match('^%s*|(.*)|%s*$')
  if not inner then
    return nil
  end
  local cells, cell = {}, ''
  for piece, bar in inner:gmatch('([^|]*)(|?)') do
    cell = cell .. piece
    if bar == '|' and cell:sub(-1) == '\\' then
      cell = cell .. bar
    elseif bar == '|' then
      table.insert(cells, vim.trim(cell))
      cell = ''
    end
  end
  table.insert(cells, vim.trim(cell))
  return cells
end

---@param line string
---@return agent_lsp.Alignment[]? nil where it is not the line below a table's head
local function alignments_of(line)
  local cells = cells_of(line)
  local alignments = {}
  for n, cell in ipairs(cells or {}) do
    if not cell:find('^:?%-+:?$') then
      return nil
    end
    local is_right = cell:sub(-1) == ':'
    alignments[n] = is_right and (cell:sub(1, 1) == ':' and 'center' or 'right') or 'left'
  end
  return cells and alignments
end

---@param prose string
---@return string
local function without_marks(prose)
  local shown = prose:gsub('!?%[([^%]]*)%]%([^)]*%)', '%1')
  for _, mark in ipairs({ '%*%*', '%*', '~~' }) do
    shown = shown:gsub(mark .. '(%S.-)' .. mark, '%1')
  end
  return (shown:gsub('%f[%w_]_(%S.-)_%f[^%w_]', '%1'))
end

---How wide a cell is on the screen.
---@param cell string
---@return integer
local function width_of(cell)
  local shown, at = '', 1
  for before, ticks, behind in cell:gmatch('()(`+)()') do
    local closing = before >= at and cell:find(ticks, behind, true)
    if closing then
      shown = shown .. without_marks(cell:sub(at, before - 1)) .. cell:sub(behind, closing - 1)
      at = closing + #ticks
    end
  end
  return vim.fn.strdisplaywidth(shown .. without_marks(cell:sub(at)))
end

---@param rows string[][]
---@param columns integer
---@return integer[]
local function widths_of(rows, columns)
  local widths = {}
  for column = 1, columns do
    widths[column] = 3
    for _, row in ipairs(rows) do
      widths[column] = math.max(widths[column], width_of(row[column] or ''))
    end
  end
  return widths
end

---@param cell string
---@param width integer
---@param alignment agent_lsp.Alignment
---@return string
local function padded(cell, width, alignment)
  local room = width - width_of(cell)
  local left = alignment == 'right' and room or alignment == 'center' and math.floor(room / 2) or 0
  return (' '):rep(left) .. cell .. (' '):rep(room - left)
end

local RULES = { left = { '-', '-' }, right = { '-', ':' }, center = { ':', ':' } }

---@param widths integer[]
---@param alignments agent_lsp.Alignment[]
---@return string
local function rule(widths, alignments)
  local cells = {}
  for n, width in ipairs(widths) do
    local first, last = unpack(RULES[alignments[n]])
    cells[n] = first .. ('-'):rep(width) .. last
  end
  return ('|%s|'):format(table.concat(cells, '|'))
end

---@param row string[]
---@param widths integer[]
---@param alignments agent_lsp.Alignment[]
---@return string
local function line_of(row, widths, alignments)
  local cells = {}
  for n, width in ipairs(widths) do
    cells[n] = padded(row[n] or '', width, alignments[n])
  end
  return ('| %s |'):format(table.concat(cells, ' | '))
end

---@param rows string[][] the head first
---@param alignments agent_lsp.Alignment[]
---@param most integer
---@return string[]? lines nil where they would not fit
local function lines_of(rows, alignments, most)
  local widths = widths_of(rows, #alignments)
  local below_head = rule(widths, alignments)
  if #below_head > most then
    return nil
  end
  local lines = vim.tbl_map(function(row)
    return line_of(row, widths, alignments)
  end, rows)
  table.insert(lines, 2, below_head)
  return lines
end

---@param lines string[]
---@param at integer
---@param is_prose fun(n: integer): boolean
---@return string[][]? rows of a table that begins here, the head first
---@return agent_lsp.Alignment[]
local function table_at(lines, at, is_prose)
  local head = is_prose(at) and is_prose(at + 1) and cells_of(lines[at])
  local alignments = head and lines[at + 1] and alignments_of(lines[at + 1])
  if not head or not alignments or #alignments ~= #head then
    return nil, {}
  end
  local rows = { head }
  for n = at + 2, #lines do
    local row = is_prose(n) and cells_of(lines[n])
    if not row then
      break
    end
    table.insert(rows, row)
  end
  return rows, alignments
end

---The same lines, with every table in them aligned that then fits.
---@param lines string[]
---@param is_prose fun(n: integer): boolean whether a line is none of code
---@param most integer how wide a table may be
---@return string[]
function M.aligned(lines, is_prose, most)
  local result = vim.list_slice(lines)
  local at = 1
  while at <= #lines do
    local rows, alignments = table_at(lines, at, is_prose)
    for n, line in ipairs(rows and lines_of(rows, alignments, most) or {}) do
      result[at + n - 1] = line
    end
    at = at + (rows and #rows + 1 or 1)
  end
  return result
end

return M
