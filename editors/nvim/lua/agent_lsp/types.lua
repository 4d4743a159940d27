---@meta
-- Printed by `agent-lsp schema --format lua`. A test holds this file equal to what that prints.

---@class agent_lsp.Action
---@field label string
---@field response string

---@class agent_lsp.ActiveEditor
---@field uri string
---@field selection? agent_lsp.Range

---@class agent_lsp.Answer
---@field response "yesButtonClicked"|"noButtonClicked"|"messageResponse"|"objectResponse"
---@field by "user"|"policy"|"timeout"
---@field at integer
---@field text? string

---@class agent_lsp.Answered
---@field accepted boolean
---@field reason? string

---@class agent_lsp.AskResponseParams
---@field taskId string
---@field ts? integer
---@field response "yesButtonClicked"|"noButtonClicked"|"messageResponse"|"objectResponse"
---@field text? string
---@field images? string[]
---@field hunks? table<string, "accept"|"reject">
---@field edited? agent_lsp.EditedText[]
---@field remember? agent_lsp.Remembering

---@class agent_lsp.Attachment
---@field uri string
---@field range? agent_lsp.Range

---@class agent_lsp.Change
---@field uri string
---@field path string
---@field kind "create"|"edit"|"delete"|"rename"
---@field diff string
---@field added integer
---@field removed integer
---@field previewUri string
---@field version integer|vim.NIL
---@field hunks agent_lsp.Hunk[]
---@field newPath? string
---@field before? string
---@field after? string

---@class agent_lsp.CheckpointDiffParams
---@field taskId string
---@field checkpoint string
---@field to? string

---@class agent_lsp.CheckpointDifference
---@field changes agent_lsp.FileDifference[]
---@field leftOut? string[]

---@class agent_lsp.CheckpointList
---@field checkpoints agent_lsp.CheckpointRow[]

---@class agent_lsp.CheckpointMark
---@field id string

---@class agent_lsp.CheckpointRow
---@field id string
---@field ts integer
---@field reason "message"|"change"|"command"|"restore"|"diff"

---@class agent_lsp.CommandList
---@field commands agent_lsp.SlashCommand[]
---@field problems? string[]

---@class agent_lsp.CondenseParams
---@field taskId string
---@field instructions? string

---@class agent_lsp.ContextUse
---@field tokens integer
---@field window integer
---@field percent number

---@class agent_lsp.DeletedMessage
---@field ts integer
---@field deleted boolean

---@class agent_lsp.DeletionNotice
---@field taskId string
---@field instanceId string
---@field seq integer
---@field message agent_lsp.DeletedMessage

---@class agent_lsp.DeltaNotice
---@field taskId string
---@field instanceId string
---@field seq integer
---@field ts integer
---@field append string

---@class agent_lsp.DiagnosticsParams
---@field uris string[]
---@field minVersions integer[]
---@field timeoutMs integer

---@class agent_lsp.DiagnosticsResult
---@field status string
---@field items? agent_lsp.DocumentDiagnostics[]

---@class agent_lsp.DocumentDiagnostics
---@field uri string
---@field version? integer
---@field diagnostics? agent_lsp.FoundDiagnostic[]

---@class agent_lsp.EditedText
---@field uri string
---@field text? string
---@field diff? string

---@class agent_lsp.EditorContextParams
---@field visible? agent_lsp.VisibleEditor[]
---@field active? agent_lsp.ActiveEditor
---@field openTabs? string[]
---@field terminals? agent_lsp.TerminalParams[]

---@class agent_lsp.ExportedTask
---@field title string
---@field text string

---@class agent_lsp.FailedSave
---@field uri string
---@field reason? string

---@class agent_lsp.FileDifference
---@field uri string
---@field path string
---@field kind "create"|"edit"|"delete"
---@field diff? string

---@class agent_lsp.FolderTrust
---@field root string
---@field digest string
---@field trust "undecided"|"trusted"|"declined"
---@field asks string[]

---@class agent_lsp.ForkTaskParams
---@field taskId string
---@field ts? integer
---@field title? string

---@class agent_lsp.ForkedTask
---@field taskId string
---@field instanceId string
---@field text? string
---@field images? string[]

---@class agent_lsp.FoundDiagnostic
---@field message? string
---@field range? agent_lsp.Range
---@field severity? integer
---@field source? string
---@field code? integer|string

---@class agent_lsp.Grant

---@class agent_lsp.Hunk
---@field id string
---@field header string
---@field startLine integer
---@field lines? string[]

---@class agent_lsp.ListTasksParams
---@field cursor? string
---@field limit? integer
---@field query? string

---@class agent_lsp.Message
---@field ts integer
---@field type "ask"|"say"
---@field ask? "tool"|"command"|"browser_action_launch"|"use_mcp_server"|"followup"|"completion_result"|"api_req_failed"|"mistake_limit_reached"|"auto_approval_max_req_reached"|"resume_completed_task"|"resume_task"|"command_output"
---@field say? "text"|"reasoning"|"user_feedback"|"user_feedback_diff"|"api_req_started"|"api_req_retry_delayed"|"api_req_rate_limit_wait"|"completion_result"|"tool"|"command"|"command_output"|"mcp_server_request_started"|"mcp_server_response"|"browser_action"|"browser_action_result"|"checkpoint_saved"|"condense_context"|"condense_context_error"|"sliding_window_truncation"|"diff_error"|"ignore_error"|"subtask_result"|"subagent"|"todos"|"hook"|"skill"|"error"|"info"
---@field text? string
---@field images? string[]
---@field partial? boolean
---@field answer? agent_lsp.Answer
---@field state? "interrupted"
---@field progress? agent_lsp.Progress
---@field checkpoint? agent_lsp.CheckpointMark
---@field agent? string

---@class agent_lsp.MessageNotice
---@field taskId string
---@field instanceId string
---@field seq integer
---@field message agent_lsp.Message

---@class agent_lsp.ModeList
---@field modes agent_lsp.ModeRow[]
---@field problems? string[]
---@field permissionMode? "plan"|"default"|"acceptEdits"|"bypassPermissions"

---@class agent_lsp.ModeRow
---@field slug string
---@field name string
---@field description string
---@field source "built-in"|"user"|"project"
---@field isCurrent boolean
---@field profile? string

---@class agent_lsp.ModelUsage
---@field model string
---@field usage agent_lsp.Usage

---@class agent_lsp.NewTaskParams
---@field text? string
---@field images? string[]
---@field mode? string
---@field profile? string
---@field permissionMode? agent_lsp.PermissionMode
---@field context? agent_lsp.Attachment[]
---@field clientRequestId? string

---@class agent_lsp.NoParams

---@class agent_lsp.Operated
---@field accepted boolean

---@class agent_lsp.OptionalTaskParams
---@field taskId? string

---@class agent_lsp.Permission
---@field id string
---@field scope "task"|"project"|"user"
---@field kind "command"|"exactCommand"|"read"|"edit"|"delete"
---@field rule string
---@field created integer
---@field root? string
---@field taskId? string

---@class agent_lsp.PermissionList
---@field permissions agent_lsp.Permission[]
---@field problems? string[]

---@class agent_lsp.PermissionMode

---@class agent_lsp.PermissionsParams
---@field op? "list"|"add"|"revoke"
---@field id? string
---@field scope? agent_lsp.Scope
---@field kind? agent_lsp.Grant
---@field rule? string
---@field root? string
---@field taskId? string

---@class agent_lsp.Position
---@field line integer
---@field character integer

---@class agent_lsp.Preview
---@field changes agent_lsp.Change[]

---@class agent_lsp.PreviewParams
---@field taskId string
---@field ts integer

---@class agent_lsp.ProfileList
---@field profiles agent_lsp.ProfileRow[]

---@class agent_lsp.ProfileRow
---@field name string
---@field type string
---@field model string
---@field isCurrent boolean
---@field problem? string

---@class agent_lsp.Progress
---@field icon? string
---@field text? string

---@class agent_lsp.QueueList
---@field words agent_lsp.QueuedWords[]

---@class agent_lsp.QueueParams
---@field taskId string
---@field op "list"|"edit"|"remove"|"move"
---@field messageId? string
---@field text? string
---@field images? string[]
---@field position? integer

---@class agent_lsp.QueuedWords
---@field messageId string
---@field text string
---@field images? string[]
---@field delivery "queue"|"steer"

---@class agent_lsp.Range
---@field start agent_lsp.Position
---@field end agent_lsp.Position

---@class agent_lsp.Remembering
---@field scope agent_lsp.Scope
---@field rule? string

---@class agent_lsp.RenameTaskParams
---@field taskId string
---@field title string

---@class agent_lsp.Restoration
---@field isDone boolean
---@field files agent_lsp.RestoredFile[]
---@field conflicts agent_lsp.UnrestoredFile[]
---@field undo? string
---@field rewind? agent_lsp.Rewind

---@class agent_lsp.RestoreParams
---@field taskId string
---@field checkpoint? string
---@field ts? integer
---@field what? "files"|"conversation"|"both"
---@field dryRun? boolean

---@class agent_lsp.RestoredFile
---@field uri string
---@field path string
---@field kind "create"|"edit"|"delete"
---@field isMerged boolean

---@class agent_lsp.Rewind
---@field ts integer
---@field hidden integer
---@field shown integer
---@field text? string
---@field images? string[]

---@class agent_lsp.SaveParams
---@field uris string[]

---@class agent_lsp.SaveResult
---@field saved? string[]
---@field failed? agent_lsp.FailedSave[]

---@class agent_lsp.Scope

---@class agent_lsp.SendMessageParams
---@field taskId string
---@field text? string
---@field images? string[]
---@field delivery? "queue"|"steer"|"interrupt"

---@class agent_lsp.Sent
---@field messageId string
---@field disposition "queued"|"delivered"

---@class agent_lsp.SetModeParams
---@field taskId? string
---@field mode string

---@class agent_lsp.SetPermissionModeParams
---@field taskId? string
---@field permissionMode agent_lsp.PermissionMode

---@class agent_lsp.SetProfileParams
---@field taskId? string
---@field profile string

---@class agent_lsp.SlashCommand
---@field name string
---@field description string
---@field kind "text"|"mode"|"permissionMode"|"action"
---@field source "built-in"|"user"|"project"
---@field argumentHint? string
---@field mode? string

---@class agent_lsp.Snapshot: agent_lsp.Status
---@field messages (agent_lsp.Message|agent_lsp.DeletedMessage)[]
---@field seq integer
---@field hasMore boolean

---@class agent_lsp.StateParams
---@field taskId? string
---@field instanceId? string
---@field since? integer
---@field limit? integer
---@field before? integer

---@class agent_lsp.Status
---@field taskId string
---@field instanceId string
---@field seq integer
---@field state "no_task"|"running"|"streaming"|"waiting_for_input"|"idle"|"resumable"
---@field ask agent_lsp.WaitingAsk|vim.NIL
---@field activity string
---@field mode string
---@field profile string
---@field model string
---@field permissionMode "plan"|"default"|"acceptEdits"|"bypassPermissions"
---@field usage agent_lsp.Usage
---@field context agent_lsp.ContextUse
---@field todos agent_lsp.Todo[]
---@field queue integer
---@field parentTaskId? string
---@field childTaskId? string
---@field title string
---@field usageByModel? agent_lsp.ModelUsage[]

---@class agent_lsp.TaskList
---@field tasks agent_lsp.TaskSummary[]
---@field cursor? string

---@class agent_lsp.TaskParams
---@field taskId string

---@class agent_lsp.TaskReference
---@field taskId string
---@field instanceId string

---@class agent_lsp.TaskSummary
---@field taskId string
---@field title string
---@field ts integer
---@field state "no_task"|"running"|"streaming"|"waiting_for_input"|"idle"|"resumable"
---@field usage agent_lsp.Usage

---@class agent_lsp.TerminalOperationParams
---@field taskId string
---@field ts? integer
---@field operation "continue"|"abort"

---@class agent_lsp.TerminalParams
---@field name string
---@field cwd? string
---@field command? string
---@field isRunning? boolean
---@field exitCode? integer
---@field output? string

---@class agent_lsp.Todo
---@field id string
---@field content string
---@field status string

---@class agent_lsp.TrustList
---@field folders agent_lsp.FolderTrust[]
---@field problems? string[]

---@class agent_lsp.TrustParams
---@field op? "list"|"trust"|"decline"|"forget"
---@field root? string
---@field digest? string

---@class agent_lsp.UnrestoredFile
---@field uri string
---@field path string
---@field reason string

---@class agent_lsp.Usage
---@field tokensIn integer
---@field tokensOut integer
---@field cacheReads integer
---@field cacheWrites integer
---@field cost number|vim.NIL

---@class agent_lsp.VisibleEditor
---@field uri string
---@field ranges? agent_lsp.Range[]

---@class agent_lsp.WaitingAsk
---@field ts integer
---@field kind "tool"|"command"|"browser_action_launch"|"use_mcp_server"|"followup"|"completion_result"|"api_req_failed"|"mistake_limit_reached"|"auto_approval_max_req_reached"|"resume_completed_task"|"resume_task"|"command_output"
---@field category "interactive"|"idle"|"resumable"|"non-blocking"
---@field actions agent_lsp.Action[]
