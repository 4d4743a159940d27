-- A list to choose from: by whatever `vim.ui.select` the user has, and where that is Neovim's own, in a float.

local notify = require('agent_lsp.notify')

local M = {}

---@class agent_lsp.SelectOptions
---@field prompt string
---@field text? string[] what stands above the list
---@field format_item? fun(item: any): string

---Whether nobody has put another one in the place of Neovim's own, which writes the list over the screen and waits.
---@return boolean
local function is_plain()
  local source = debug.getinfo(vim.ui.select, 'S').source
  return source:find('vim/ui%.lua$') ~= nil
end

---@param items any[]
---@param options agent_lsp.SelectOptions
---@return string[]
local function lines_of(items, options)
  local lines = vim.list_extend({}, options.text or {})
  for n, item in ipairs(items) do
    local words = options.format_item and options.format_item(item) or tostring(item)
    table.insert(lines, ('%s  %s'):format(n < 10 and n or ' ', (words:gsub('%s*\n%s*', ' '))))
  end
  return lines
end

---@generic T
---@param items T[]
---@param options agent_lsp.SelectOptions
---@param chosen fun(item: T, index: integer) not called where nothing was chosen
local function float(items, options, chosen)
  local above = #(options.text or {})
  local keys = {}
  for n = 1, math.min(#items, 9) do
    keys[tostring(n)] = function()
      chosen(items[n], n)
    end
  end
  keys['<CR>'] = function(line)
    local n = math.max(line - above, 1)
    chosen(items[n], n)
  end
  require('agent_lsp.dialog').open({
    title = notify.flat(options.prompt),
    lines = lines_of(items, options),
    first_line = above + 1,
    hint = #items > 1 and '<CR> or the number chooses · q not now' or '<CR> chooses · q not now',
    keys = keys,
  })
end

---@generic T
---@param items T[]
---@param options agent_lsp.SelectOptions
---@param chosen fun(item: T, index: integer) not called where nothing was chosen
function M.open(items, options, chosen)
  if is_plain() then
    return float(items, options, chosen)
  end
  local prompt = notify.one_line(options.text and table.concat(options.text, ' ') or options.prompt)
  local own = { prompt = prompt, kind = 'agent_lsp', format_item = options.format_item }
  vim.ui.select(items, own, function(item, index)
    if item ~= nil and index then
      chosen(item, index)
    end
  end)
end

return M
