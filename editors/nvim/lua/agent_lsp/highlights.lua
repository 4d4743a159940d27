-- The names of what is coloured, each a link to a standard group, so that every colour scheme fits.

local M = {}

local LINKS = {
  AgentUser = 'Title',
  AgentTool = 'Function',
  AgentCommand = 'Statement',
  AgentCode = 'CursorLine',
  AgentOutput = 'Comment',
  AgentReasoning = 'Comment',
  AgentHint = 'Comment',
  AgentKey = 'Special',
  AgentAdded = 'Added',
  AgentRemoved = 'Removed',
  AgentAddedLine = 'DiffAdd',
  AgentHunk = 'Comment',
  AgentContext = 'Normal',
  AgentDone = 'DiagnosticOk',
  AgentWaiting = 'DiagnosticWarn',
  AgentError = 'DiagnosticError',
  AgentInfo = 'DiagnosticInfo',
}

local computed ---@type vim.api.keyset.get_hl_info? of removed lines, as it was set here

---The colour of removed lines where a scheme has none, as Neovim's own: that of added ones, with red for green.
---@return vim.api.keyset.highlight?
local function removed_line()
  local added = vim.api.nvim_get_hl(0, { name = 'DiffAdd', link = false })
  local removed = vim.api.nvim_get_hl(0, { name = 'DiffDelete', link = false })
  if not added.bg or removed.bg or removed.reverse then
    return nil
  end
  local red, green, blue = bit.rshift(added.bg, 16), bit.band(bit.rshift(added.bg, 8), 255), bit.band(added.bg, 255)
  return { bg = bit.bor(bit.lshift(green, 16), bit.lshift(red, 8), blue), ctermfg = removed.ctermfg }
end

local function define_removed_line()
  local now = vim.api.nvim_get_hl(0, { name = 'AgentRemovedLine' })
  if next(now) and not vim.deep_equal(now, computed) then
    -- A user's own, or a scheme's.
    return
  end
  vim.api.nvim_set_hl(0, 'AgentRemovedLine', removed_line() or { link = 'DiffDelete' })
  computed = vim.api.nvim_get_hl(0, { name = 'AgentRemovedLine' })
end

---Define what is not defined yet, and what depends on the colours that there are now.
function M.define()
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  define_removed_line()
end

return M
