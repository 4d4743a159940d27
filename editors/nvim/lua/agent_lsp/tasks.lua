-- What can be done with a whole task: named, forked, condensed, exported, deleted.

local agent = require('agent_lsp.agent')
local notify = require('agent_lsp.notify')
local server = require('agent_lsp.server')

local M = {}

---@param method string
---@param params table beside the task
---@param done? fun(result: any)
local function ask(method, params, done)
  local task_id = agent.task:id()
  if not task_id then
    return notify.tell('There is no task here.')
  end
  server.request(method, vim.tbl_extend('force', { taskId = task_id }, params), done)
end

---@param title string
function M.rename(title)
  if title == '' then
    return notify.tell(':AgentRename takes a title.')
  end
  ask('agent/renameTask', { title = title })
end

---Make the history shorter for the model, by its own summary.
---@param instructions string
function M.condense(instructions)
  ask('agent/condense', { instructions = instructions ~= '' and instructions or nil })
end

---@param forked agent_lsp.ForkedTask
local function show_fork(forked)
  agent.show(forked.taskId, function()
    local prompt = require('agent_lsp.prompt')
    require('agent_lsp.windows').write()
    if forked.text and prompt.text() == '' then
      prompt.set(forked.text)
    end
  end)
end

---@class agent_lsp.ForkPoint
---@field line string
---@field ts? integer none: all of it

---Make a new task of this one, or of what came before words of one's own.
function M.fork()
  local points = { { line = 'all of it' } } ---@type agent_lsp.ForkPoint[]
  for _, ts in ipairs(agent.task:own_words()) do
    table.insert(points, { line = 'before: ' .. vim.fn.strcharpart(notify.flat(agent.task:text(ts)), 0, 70), ts = ts })
  end
  local options = {
    prompt = 'A new task of',
    format_item = function(point)
      return point.line
    end,
  }
  require('agent_lsp.select').open(points, options, function(point)
    ask('agent/forkTask', { ts = point.ts }, show_fork)
  end)
end

---@param exported agent_lsp.ExportedTask
---@return string[]
local function lines_of(exported)
  return vim.split(vim.trim(exported.text), '\n', { plain = true })
end

---@param exported agent_lsp.ExportedTask
local function show_export(exported)
  vim.cmd('tabnew')
  vim.api.nvim_buf_set_lines(0, 0, -1, true, lines_of(exported))
  vim.bo.filetype, vim.bo.modified = 'markdown', false
end

---@param path string
---@param exported agent_lsp.ExportedTask
local function write_export(path, exported)
  if vim.fn.filereadable(path) == 1 then
    return notify.warn(('%s is there already; name another file.'):format(path))
  end
  local is_written, problem = pcall(vim.fn.writefile, lines_of(exported), path)
  if not is_written then
    return notify.warn(tostring(problem))
  end
  notify.tell('Written to ' .. path)
end

---The task as Markdown: in a file, or without one, in a tab.
---@param path string
function M.export(path)
  ask('agent/exportTask', {}, function(exported)
    if path == '' then
      return show_export(exported)
    end
    write_export(vim.fs.normalize(vim.fn.expand(path)), exported)
  end)
end

---Delete the task, after a question.
function M.delete()
  local status = agent.task.status
  if not status then
    return notify.tell('There is no task here.')
  end
  require('agent_lsp.dialog').open({
    title = 'Delete this task and all that was kept of it?',
    lines = { notify.flat(status.title) },
    hint = 'y delete · q keep it',
    keys = {
      y = function()
        ask('agent/deleteTask', {}, function()
          agent.task:clear()
        end)
      end,
    },
  })
end

return M
