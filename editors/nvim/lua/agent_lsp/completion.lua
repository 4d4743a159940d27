-- What `@` and `/` offer in the prompt: files of the workspace, and words that set something.

local M = {}

local MOST = 50
local FRESH_MS = 5000

---@type string[] what can be mentioned beside files
local NAMES = { 'problems', 'terminal', 'git-changes' }

local files = {} ---@type string[]
local gathered_at = -FRESH_MS
local is_gathering = false

---@param folder string
---@param output string?
local function take(folder, output)
  is_gathering, gathered_at = false, vim.uv.now()
  if output then
    files = vim.split(output, '\0', { plain = true, trimempty = true })
    return
  end
  files = {}
  for name, kind in vim.fs.dir(folder, { depth = 4 }) do
    if kind == 'file' and #files < 5000 then
      table.insert(files, name)
    end
  end
end

---Learn anew which files there are, unless that is known. It never waits.
function M.gather()
  if is_gathering or vim.uv.now() - gathered_at < FRESH_MS then
    return
  end
  is_gathering = true
  local folder = require('agent_lsp.server').folder()
  local command = { 'git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard' }
  local is_started = pcall(vim.system, command, { cwd = folder, timeout = 10000 }, function(result)
    vim.schedule(function()
      take(folder, result.code == 0 and result.stdout or nil)
      if vim.bo.filetype == 'agentprompt' and vim.fn.mode() == 'i' then
        M.offer()
      end
    end)
  end)
  if not is_started then
    take(folder, nil)
  end
end

---@param query string
---@return table[]
local function mention_items(query)
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, query)
  end, NAMES)
  local items = vim.tbl_map(function(name)
    return { word = '@' .. name, abbr = name }
  end, names)
  local found = query == '' and files or vim.fn.matchfuzzy(files, query)
  for _, path in ipairs(vim.list_slice(found, 1, MOST)) do
    table.insert(items, { word = require('agent_lsp.context').mention(path), abbr = path, menu = 'file' })
  end
  return items
end

---@param query string
---@return table[]
local function word_items(query)
  local found = vim.tbl_filter(function(word)
    return vim.startswith(word.name:lower(), query:lower())
  end, require('agent_lsp.choices').slash_words())
  return vim.tbl_map(function(word)
    return { word = '/' .. word.name, menu = vim.fn.strcharpart(word.description, 0, 50) }
  end, found)
end

---The word before the cursor that can be completed.
---@return integer? column from 0, where it begins
---@return string? mark
---@return string? query
local function unfinished()
  local line, column = vim.api.nvim_win_get_cursor(0)[1], vim.api.nvim_win_get_cursor(0)[2]
  local before = vim.api.nvim_get_current_line():sub(1, column)
  -- Whatever sets a word apart may stand before a mention, as the server has it.
  local start, query = before:match('()@([^%s@,;|]*)$')
  if start and (start == 1 or before:sub(start - 1, start - 1):match('[%s%(%[{<"\'*_~,;:|]')) then
    return start - 1, '@', query
  end
  start, query = before:match('^%s*()/([%w_-]*)$')
  if start and line == 1 then
    return start - 1, '/', query
  end
end

---@param mark string
---@param query string
---@return table[]
local function items(mark, query)
  return mark == '@' and mention_items(query) or word_items(query)
end

---For 'completefunc'.
---@param find_start 0|1
---@return integer|table[]
function M.complete(find_start)
  local column, mark, query = unfinished()
  if find_start == 1 then
    return column or -2
  end
  return mark and items(mark, assert(query)) or {}
end

---Show what fits while somebody types.
function M.offer()
  local column, mark, query = unfinished()
  local found = column and mark and items(mark, assert(query)) or {}
  if column and #found > 0 then
    vim.fn.complete(column + 1, found)
  end
end

return M
