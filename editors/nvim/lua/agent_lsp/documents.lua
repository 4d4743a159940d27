-- The editor's own buffers, as the server wants them: saved, read anew from the disk, and those of proposed texts.

local server = require('agent_lsp.server')

local M = {}

local read_at = {} ---@type table<integer, string> the file's time when its text was read or written, by buffer
local is_reloading = false

---The buffer of a file, if there is one. It makes none.
---@param uri string
---@return integer?
function M.buffer_of(uri)
  local is_file, name = pcall(vim.uri_to_fname, uri)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.api.nvim_buf_get_name(buffer) == (is_file and name or uri) then
      return buffer
    end
  end
end

---@param buffer integer
---@return string?
local function file_time(buffer)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(buffer))
  return stat and ('%d.%d'):format(stat.mtime.sec, stat.mtime.nsec)
end

---Note that the text of a buffer is that of its file.
---@param buffer integer
function M.note(buffer)
  if server.is_file(buffer) then
    read_at[buffer] = file_time(buffer)
  end
end

---@param buffer integer
function M.forget(buffer)
  read_at[buffer] = nil
end

---@param buffer integer
---@return string? reason
local function save_one(buffer)
  if not vim.bo[buffer].modified then
    return nil
  end
  local now = file_time(buffer)
  if now and read_at[buffer] ~= nil and read_at[buffer] ~= now then
    -- Neovim would ask whether to overwrite it, and everything would wait for the answer.
    return 'the file was changed on the disk; compare the two, and write it with :w!'
  end
  local is_saved, problem = pcall(vim.api.nvim_buf_call, buffer, function()
    vim.cmd('silent update')
  end)
  if is_saved and not vim.bo[buffer].modified then
    return nil
  end
  if is_saved then
    return 'it is still modified'
  end
  local words = tostring(problem):gsub('^.-(E%d+:)', '%1')
  return require('agent_lsp.notify').flat(words)
end

---@param params agent_lsp.SaveParams
---@return agent_lsp.SaveResult
function M.save(params)
  local saved, failed = {}, {}
  for _, uri in ipairs(params.uris) do
    local buffer = M.buffer_of(uri)
    local reason = not buffer and 'it is not open' or save_one(assert(buffer))
    if reason then
      table.insert(failed, { uri = uri, reason = reason })
    else
      table.insert(saved, uri)
    end
  end
  return { saved = saved, failed = failed }
end

local function reload()
  is_reloading = false
  if not vim.o.autoread or vim.fn.getcmdwintype() ~= '' then
    return
  end
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if server.is_file(buffer) and not vim.bo[buffer].modified and file_time(buffer) ~= read_at[buffer] then
      vim.cmd(('silent! checktime %d'):format(buffer))
      M.note(buffer)
    end
  end
end

---Read what commands of the agent's changed on the disk, in a moment. A buffer with changes of its own is left alone.
function M.reload_soon()
  if not is_reloading then
    is_reloading = true
    vim.defer_fn(reload, 100)
  end
end

---The text of a buffer as it would be written.
---@param buffer integer
---@return string
function M.text(buffer)
  local eol = vim.bo[buffer].fileformat == 'dos' and '\r\n' or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), eol)
  return vim.bo[buffer].endofline and text .. eol or text
end

---Have a buffer hold exactly this text, as `text` gives it back.
---@param buffer integer
---@param text string
function M.fill(buffer, text)
  local _, breaks = text:gsub('\n', '')
  local _, returns = text:gsub('\r\n', '')
  local is_dos = breaks > 0 and breaks == returns
  local has_end = text:sub(-1) == '\n'
  local lines = vim.split(is_dos and text:gsub('\r\n', '\n') or text, '\n', { plain = true })
  if has_end then
    table.remove(lines)
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  local options = vim.bo[buffer]
  options.fileformat, options.endofline, options.fixendofline = is_dos and 'dos' or 'unix', has_end, false
  options.modified = false
  vim.cmd.diffupdate()
end

---Fill a buffer named by an `agent-preview:` uri. It takes no typing before: that would be taken for all of the file.
---@param buffer integer
function M.read_preview(buffer)
  local uri = vim.api.nvim_buf_get_name(buffer)
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].modifiable = 'acwrite', false, false
  local undo = vim.bo[buffer].undolevels
  vim.bo[buffer].undolevels = -1
  server.request('workspace/textDocumentContent', { uri = uri }, function(result)
    if vim.api.nvim_buf_is_valid(buffer) and not vim.bo[buffer].modified then
      M.fill(buffer, result.text)
      vim.bo[buffer].undolevels = undo
      vim.bo[buffer].filetype = vim.filetype.match({ filename = vim.uri_decode(uri), buf = buffer }) or ''
    end
  end)
end

return M
