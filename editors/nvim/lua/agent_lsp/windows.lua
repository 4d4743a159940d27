-- Where the view and its prompt are on the screen. Nothing here moves the cursor of a window that the user is in,
-- unless the user asked for it.

local config = require('agent_lsp.config')

local M = {}

---@param buffer integer?
---@return integer? a window of this tab page that shows it
local function window_of(buffer)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if buffer and vim.api.nvim_win_get_buf(window) == buffer then
      return window
    end
  end
end

---@param buffer integer
---@return integer[] windows whose cursor is on the last line
function M.followers(buffer)
  local last = vim.api.nvim_buf_line_count(buffer)
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(buffer))
end

---The first line of those that fill a window down to the last one.
---@param window integer
---@param last integer
---@return integer
local function top_for(window, last)
  local most = vim.api.nvim_win_get_height(window) - (vim.wo[window].winbar ~= '' and 1 or 0)
  local height, line = 0, last
  while line >= 1 do
    height = height + vim.api.nvim_win_text_height(window, { start_row = line - 1, end_row = line - 1 }).all
    if height > most then
      return math.min(line + 1, last)
    end
    line = line - 1
  end
  return 1
end

---Keep those windows at the end, without a gap below it: where much comes at once, Neovim would leave half a window
---empty.
---@param buffer integer
---@param windows integer[]
function M.follow(buffer, windows)
  local last = vim.api.nvim_buf_line_count(buffer)
  for _, window in ipairs(windows) do
    vim.api.nvim_win_set_cursor(window, { last, 0 })
    local top = top_for(window, last)
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview({ topline = top, skipcol = 0 })
    end)
  end
end

---How many columns the view has, or would have.
---@return integer
function M.width()
  local window = window_of(require('agent_lsp.view').buffer())
  if window then
    return vim.api.nvim_win_get_width(window)
  end
  local wanted = config.get().width
  return math.floor(wanted < 1 and vim.o.columns * wanted or wanted)
end

---@param window integer
---@param options table<string, any>
local function set(window, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { win = window, scope = 'local' })
  end
end

local PLAIN = {
  number = false,
  relativenumber = false,
  signcolumn = 'no',
  foldenable = false,
  list = false,
  spell = false,
  cursorline = false,
  -- A margin. That of 'statuscolumn' would not count in the heights of lines before it is drawn.
  foldcolumn = '1',
  statuscolumn = '',
  winhighlight = 'FoldColumn:Normal',
  colorcolumn = '',
  wrap = true,
  linebreak = true,
  breakindent = true,
  fillchars = 'eob: ',
}

local PROMPT_BAR = "%{%v:lua.require'agent_lsp.status'.prompt_bar()%}"

---@param buffer integer the view's
local function watch(buffer)
  -- What waits is told of otherwise as soon as it cannot be seen here any more.
  vim.api.nvim_create_autocmd({ 'WinClosed', 'BufWinLeave', 'BufWinEnter' }, {
    group = vim.api.nvim_create_augroup('agent_lsp_windows', {}),
    buffer = buffer,
    callback = vim.schedule_wrap(function()
      require('agent_lsp.bell').ring()
    end),
  })
end

---@param buffer integer
---@return integer
local function open_view(buffer)
  local window = vim.api.nvim_open_win(buffer, false, { split = 'right', win = -1, width = M.width() })
  set(window, PLAIN)
  set(window, {
    winfixwidth = true,
    conceallevel = 2,
    concealcursor = 'nc',
    winbar = "%{%v:lua.require'agent_lsp.status'.winbar()%}",
    statusline = PROMPT_BAR,
    winfixbuf = true,
  })
  M.follow(buffer, { window })
  return window
end

---@param buffer integer
---@param view integer
---@return integer
local function open_prompt(buffer, view)
  local height = config.get().prompt_height
  local window = vim.api.nvim_open_win(buffer, false, { split = 'below', win = view, height = height })
  set(window, PLAIN)
  -- What stands above the prompt is the view's status line; where all windows share one, it needs a line of its own.
  set(
    window,
    { winfixheight = true, winfixbuf = true, winbar = vim.o.laststatus == 3 and PROMPT_BAR or '', statusline = ' ' }
  )
  return window
end

---@return boolean
function M.is_open()
  return window_of(require('agent_lsp.view').buffer()) ~= nil
end

---Show the view and the prompt in this tab page; the cursor stays where it is.
---@return integer view
---@return integer prompt
function M.open()
  local agent = require('agent_lsp.agent')
  local view_buffer = require('agent_lsp.view').open(agent.task)
  local prompt_buffer = require('agent_lsp.prompt').open()
  require('agent_lsp.keys').set(view_buffer)
  watch(view_buffer)
  local view = window_of(view_buffer) or open_view(view_buffer)
  local prompt = window_of(prompt_buffer) or open_prompt(prompt_buffer, view)
  require('agent_lsp.bell').ring()
  return view, prompt
end

function M.close()
  for _, buffer in ipairs({ require('agent_lsp.prompt').buffer() or -1, require('agent_lsp.view').buffer() or -1 }) do
    local window = window_of(buffer)
    if window and #vim.api.nvim_tabpage_list_wins(0) > 1 then
      vim.api.nvim_win_close(window, false)
    end
  end
  require('agent_lsp.bell').ring()
end

---Put the cursor into the prompt, because the user wants to write.
function M.write()
  local _, prompt = M.open()
  vim.api.nvim_set_current_win(prompt)
end

return M
