-- A small float in the corner that says what waits, while the view is not on the screen. It never has the cursor.

local M = {}

local window ---@type integer?

local function close()
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_close(window, true)
  end
  window = nil
end

---@return string? what waits
---@return string hint
local function what_waits()
  local question = require('agent_lsp.questions').pending()
  if question then
    return question, ':AgentAnswer'
  end
  local agent = require('agent_lsp.agent')
  local ask = agent.task:ask()
  if not ask then
    return nil, ''
  end
  local text = require('agent_lsp.summary').of(ask.kind, agent.task:text(ask.ts))
  local takes_yes = require('agent_lsp.asks').takes(ask, 'yesButtonClicked')
  return text, takes_yes and ':AgentApprove · :AgentReject · :AgentDiff' or ':AgentAnswer'
end

---@param text string
---@param most integer
---@return string
local function cut(text, most)
  if vim.fn.strdisplaywidth(text) <= most then
    return text
  end
  while vim.fn.strdisplaywidth(text) > most - 1 do
    text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 1)
  end
  return text .. '…'
end

---@param lines string[]
local function open(lines)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  local width = math.max(unpack(vim.tbl_map(vim.fn.strdisplaywidth, lines)))
  window = vim.api.nvim_open_win(buffer, false, {
    relative = 'editor',
    anchor = 'NE',
    row = 1,
    col = vim.o.columns - 1,
    width = width,
    height = #lines,
    style = 'minimal',
    border = 'rounded',
    title = ' agent ',
    focusable = false,
    noautocmd = true,
    zindex = 60,
  })
  local marks = vim.api.nvim_create_namespace('agent_lsp_bell')
  vim.api.nvim_buf_set_extmark(buffer, marks, 1, 0, { end_row = 1, end_col = #lines[2], hl_group = 'AgentHint' })
end

---Show what waits, or nothing where nothing does, or where it can be seen already.
function M.ring()
  if vim.fn.getcmdwintype() ~= '' then
    -- No window can be opened or closed now.
    return
  end
  close()
  local text, hint = what_waits()
  local is_seen = not require('agent_lsp.questions').pending()
    and (require('agent_lsp.windows').is_open() or require('agent_lsp.diff').is_here())
  if text and not is_seen and vim.o.columns > 40 then
    open({ cut(vim.fn.strtrans(text), math.min(vim.o.columns - 10, 70)), cut(hint, vim.o.columns - 10) })
  end
end

return M
