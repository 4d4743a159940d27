-- Pictures that go along with the next words: read from a file, or from the clipboard by the program that this system
-- has for it.

local notify = require('agent_lsp.notify')

local M = {}

local MOST_BYTES = 5 * 1024 * 1024

---@class agent_lsp.Picture
---@field name string
---@field url string a data URL

---@type [string, string][] how a file of each type begins
local TYPES = {
  { '^\137PNG\r\n\26\n', 'image/png' },
  { '^\255\216\255', 'image/jpeg' },
  { '^GIF8', 'image/gif' },
  { '^RIFF....WEBP', 'image/webp' },
}

---@type string[][] what writes the picture in the clipboard to its output
local PROGRAMS = {
  { 'wl-paste', '--no-newline', '--type', 'image/png' },
  { 'xclip', '-selection', 'clipboard', '-target', 'image/png', '-out' },
  { 'pngpaste', '-' },
}

local pictures = {} ---@type agent_lsp.Picture[]

---@param bytes string
---@return string?
local function type_of(bytes)
  for _, one in ipairs(TYPES) do
    if bytes:find(one[1]) then
      return one[2]
    end
  end
end

---@param name string
---@param bytes string
local function add(name, bytes)
  local type = type_of(bytes)
  if not type then
    return notify.warn(('%s is no PNG, JPEG, GIF or WebP picture.'):format(name))
  elseif #bytes > MOST_BYTES then
    return notify.warn(('%s is larger than 5 MB; make it smaller.'):format(name))
  end
  table.insert(pictures, { name = name, url = ('data:%s;base64,%s'):format(type, vim.base64.encode(bytes)) })
  require('agent_lsp.windows').open()
  require('agent_lsp.prompt').hint()
end

---@param path string
local function add_file(path)
  local file, problem = io.open(vim.fs.normalize(path), 'rb')
  -- A folder can be opened, and not be read.
  local bytes = file and file:read(MOST_BYTES + 1)
  if file then
    file:close()
  end
  if not bytes then
    return notify.warn(problem or ('%s is no picture.'):format(path))
  end
  add(vim.fs.basename(path), bytes)
end

---@return string[]?
local function clipboard_program()
  for _, program in ipairs(PROGRAMS) do
    local is_of_wayland = program[1] == 'wl-paste'
    if vim.fn.executable(program[1]) == 1 and (not is_of_wayland or vim.env.WAYLAND_DISPLAY) then
      return program
    end
  end
end

local function add_from_clipboard()
  local program = clipboard_program()
  if not program then
    return notify.tell('Name a file: `:AgentImage shot.png`. For the clipboard, install wl-paste, xclip or pngpaste.')
  end
  vim.system(program, { timeout = 5000 }, function(result)
    vim.schedule(function()
      if result.code == 0 and result.stdout ~= '' then
        add('from the clipboard', result.stdout)
      else
        notify.tell('There is no picture in the clipboard.')
      end
    end)
  end)
end

---Have a picture go along with the next words: of a file, or without one, what the clipboard has.
---@param path string
function M.add(path)
  if path ~= '' then
    return add_file(vim.fn.expand(path))
  end
  add_from_clipboard()
end

---@return string[]
function M.names()
  return vim.tbl_map(function(picture)
    return picture.name
  end, pictures)
end

---The pictures, as they are sent; none are left here.
---@return string[]
function M.take()
  local urls = vim.tbl_map(function(picture)
    return picture.url
  end, pictures)
  pictures = {}
  return urls
end

---@return agent_lsp.Picture[]
function M.kept()
  return pictures
end

---Put back what could not be sent, or nothing.
---@param kept agent_lsp.Picture[]
function M.keep(kept)
  pictures = kept
end

return M
