// Printed by `agent-lsp schema --format typescript`. A test holds this file equal to what that prints.

/* eslint-disable */

export interface Action {
  label: string;
  response: string;
}

export interface ActiveEditor {
  uri: string;
  selection?: Range;
}

export interface Answer {
  response: "yesButtonClicked" | "noButtonClicked" | "messageResponse" | "objectResponse";
  by: "user" | "policy" | "timeout";
  at: number;
  text?: string;
}

export interface Answered {
  accepted: boolean;
  reason?: string;
}

export interface AskResponseParams {
  taskId: string;
  ts?: number;
  response: "yesButtonClicked" | "noButtonClicked" | "messageResponse" | "objectResponse";
  text?: string;
  images?: string[];
  hunks?: Record<string, "accept" | "reject">;
  edited?: EditedText[];
  remember?: Remembering;
}

export interface Attachment {
  uri: string;
  range?: Range;
}

export interface Change {
  uri: string;
  path: string;
  kind: "create" | "edit" | "delete" | "rename";
  diff: string;
  added: number;
  removed: number;
  previewUri: string;
  version: number | null;
  hunks: Hunk[];
  newPath?: string;
  before?: string;
  after?: string;
}

export interface CheckpointDiffParams {
  taskId: string;
  checkpoint: string;
  to?: string;
}

export interface CheckpointDifference {
  changes: FileDifference[];
  leftOut?: string[];
}

export interface CheckpointList {
  checkpoints: CheckpointRow[];
}

export interface CheckpointMark {
  id: string;
}

export interface CheckpointRow {
  id: string;
  ts: number;
  reason: "message" | "change" | "command" | "restore" | "diff";
}

export interface CommandList {
  commands: SlashCommand[];
  problems?: string[];
}

export interface CondenseParams {
  taskId: string;
  instructions?: string;
}

export interface ContextUse {
  tokens: number;
  window: number;
  percent: number;
}

export interface DeletedMessage {
  ts: number;
  deleted: boolean;
}

export interface DeletionNotice {
  taskId: string;
  instanceId: string;
  seq: number;
  message: DeletedMessage;
}

export interface DeltaNotice {
  taskId: string;
  instanceId: string;
  seq: number;
  ts: number;
  append: string;
}

export interface DiagnosticsParams {
  uris: string[];
  minVersions: number[];
  timeoutMs: number;
}

export interface DiagnosticsResult {
  status: string;
  items?: DocumentDiagnostics[];
}

export interface DocumentDiagnostics {
  uri: string;
  version?: number;
  diagnostics?: FoundDiagnostic[];
}

export interface EditedText {
  uri: string;
  text?: string;
  diff?: string;
}

export interface EditorContextParams {
  visible?: VisibleEditor[];
  active?: ActiveEditor;
  openTabs?: string[];
  terminals?: TerminalParams[];
}

export interface ExportedTask {
  title: string;
  text: string;
}

export interface FailedSave {
  uri: string;
  reason?: string;
}

export interface FileDifference {
  uri: string;
  path: string;
  kind: "create" | "edit" | "delete";
  diff?: string;
}

export interface FolderTrust {
  root: string;
  digest: string;
  trust: "undecided" | "trusted" | "declined";
  asks: string[];
}

export interface ForkTaskParams {
  taskId: string;
  ts?: number;
  title?: string;
}

export interface ForkedTask {
  taskId: string;
  instanceId: string;
  text?: string;
  images?: string[];
}

export interface FoundDiagnostic {
  message?: string;
  range?: Range;
  severity?: number;
  source?: string;
  code?: number | string;
}

export type Grant = ("command" | "exactCommand" | "read" | "edit" | "delete");

export interface Hunk {
  id: string;
  header: string;
  startLine: number;
  lines?: string[];
}

export interface ListTasksParams {
  cursor?: string;
  limit?: number;
  query?: string;
}

export interface Message {
  ts: number;
  type: "ask" | "say";
  ask?: "tool" | "command" | "browser_action_launch" | "use_mcp_server" | "followup" | "completion_result" | "api_req_failed" | "mistake_limit_reached" | "auto_approval_max_req_reached" | "resume_completed_task" | "resume_task" | "command_output";
  say?: "text" | "reasoning" | "user_feedback" | "user_feedback_diff" | "api_req_started" | "api_req_retry_delayed" | "api_req_rate_limit_wait" | "completion_result" | "tool" | "command" | "command_output" | "mcp_server_request_started" | "mcp_server_response" | "browser_action" | "browser_action_result" | "checkpoint_saved" | "condense_context" | "condense_context_error" | "sliding_window_truncation" | "diff_error" | "ignore_error" | "subtask_result" | "subagent" | "todos" | "hook" | "skill" | "error" | "info";
  text?: string;
  images?: string[];
  partial?: boolean;
  answer?: Answer;
  state?: "interrupted";
  progress?: Progress;
  checkpoint?: CheckpointMark;
  agent?: string;
}

export interface MessageNotice {
  taskId: string;
  instanceId: string;
  seq: number;
  message: Message;
}

export interface ModeList {
  modes: ModeRow[];
  problems?: string[];
  permissionMode?: "plan" | "default" | "acceptEdits" | "bypassPermissions";
}

export interface ModeRow {
  slug: string;
  name: string;
  description: string;
  source: "built-in" | "user" | "project";
  isCurrent: boolean;
  profile?: string;
}

export interface ModelUsage {
  model: string;
  usage: Usage;
}

export interface NewTaskParams {
  text?: string;
  images?: string[];
  mode?: string;
  profile?: string;
  permissionMode?: PermissionMode;
  context?: Attachment[];
  clientRequestId?: string;
}

export interface NoParams {
}

export interface Operated {
  accepted: boolean;
}

export interface OptionalTaskParams {
  taskId?: string;
}

export interface Permission {
  id: string;
  scope: "task" | "project" | "user";
  kind: "command" | "exactCommand" | "read" | "edit" | "delete";
  rule: string;
  created: number;
  root?: string;
  taskId?: string;
}

export interface PermissionList {
  permissions: Permission[];
  problems?: string[];
}

export type PermissionMode = ("plan" | "default" | "acceptEdits" | "bypassPermissions");

export interface PermissionsParams {
  op?: "list" | "add" | "revoke";
  id?: string;
  scope?: Scope;
  kind?: Grant;
  rule?: string;
  root?: string;
  taskId?: string;
}

export interface Position {
  line: number;
  character: number;
}

export interface Preview {
  changes: Change[];
}

export interface PreviewParams {
  taskId: string;
  ts: number;
}

export interface ProfileList {
  profiles: ProfileRow[];
}

export interface ProfileRow {
  name: string;
  type: string;
  model: string;
  isCurrent: boolean;
  problem?: string;
}

export interface Progress {
  icon?: string;
  text?: string;
}

export interface QueueList {
  words: QueuedWords[];
}

export interface QueueParams {
  taskId: string;
  op: "list" | "edit" | "remove" | "move";
  messageId?: string;
  text?: string;
  images?: string[];
  position?: number;
}

export interface QueuedWords {
  messageId: string;
  text: string;
  images?: string[];
  delivery: "queue" | "steer";
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Remembering {
  scope: Scope;
  rule?: string;
}

export interface RenameTaskParams {
  taskId: string;
  title: string;
}

export interface Restoration {
  isDone: boolean;
  files: RestoredFile[];
  conflicts: UnrestoredFile[];
  undo?: string;
  rewind?: Rewind;
}

export interface RestoreParams {
  taskId: string;
  checkpoint?: string;
  ts?: number;
  what?: "files" | "conversation" | "both";
  dryRun?: boolean;
}

export interface RestoredFile {
  uri: string;
  path: string;
  kind: "create" | "edit" | "delete";
  isMerged: boolean;
}

export interface Rewind {
  ts: number;
  hidden: number;
  shown: number;
  text?: string;
  images?: string[];
}

export interface SaveParams {
  uris: string[];
}

export interface SaveResult {
  saved?: string[];
  failed?: FailedSave[];
}

export type Scope = ("task" | "project" | "user");

export interface SendMessageParams {
  taskId: string;
  text?: string;
  images?: string[];
  delivery?: "queue" | "steer" | "interrupt";
}

export interface Sent {
  messageId: string;
  disposition: "queued" | "delivered";
}

export interface SetModeParams {
  taskId?: string;
  mode: string;
}

export interface SetPermissionModeParams {
  taskId?: string;
  permissionMode: PermissionMode;
}

export interface SetProfileParams {
  taskId?: string;
  profile: string;
}

export interface SlashCommand {
  name: string;
  description: string;
  kind: "text" | "mode" | "permissionMode" | "action";
  source: "built-in" | "user" | "project";
  argumentHint?: string;
  mode?: string;
}

export type Snapshot = (Status | { state: "no_task" }) & { messages: (Message | DeletedMessage)[]; seq: number; hasMore: boolean };

export interface StateParams {
  taskId?: string;
  instanceId?: string;
  since?: number;
  limit?: number;
  before?: number;
}

export interface Status {
  taskId: string;
  instanceId: string;
  seq: number;
  state: "no_task" | "running" | "streaming" | "waiting_for_input" | "idle" | "resumable";
  ask: WaitingAsk | null;
  activity: string;
  mode: string;
  profile: string;
  model: string;
  permissionMode: "plan" | "default" | "acceptEdits" | "bypassPermissions";
  usage: Usage;
  context: ContextUse;
  todos: Todo[];
  queue: number;
  parentTaskId?: string;
  childTaskId?: string;
  title: string;
  usageByModel?: ModelUsage[];
}

export interface TaskList {
  tasks: TaskSummary[];
  cursor?: string;
}

export interface TaskParams {
  taskId: string;
}

export interface TaskReference {
  taskId: string;
  instanceId: string;
}

export interface TaskSummary {
  taskId: string;
  title: string;
  ts: number;
  state: "no_task" | "running" | "streaming" | "waiting_for_input" | "idle" | "resumable";
  usage: Usage;
}

export interface TerminalOperationParams {
  taskId: string;
  ts?: number;
  operation: "continue" | "abort";
}

export interface TerminalParams {
  name: string;
  cwd?: string;
  command?: string;
  isRunning?: boolean;
  exitCode?: number;
  output?: string;
}

export interface Todo {
  id: string;
  content: string;
  status: string;
}

export interface TrustList {
  folders: FolderTrust[];
  problems?: string[];
}

export interface TrustParams {
  op?: "list" | "trust" | "decline" | "forget";
  root?: string;
  digest?: string;
}

export interface UnrestoredFile {
  uri: string;
  path: string;
  reason: string;
}

export interface Usage {
  tokensIn: number;
  tokensOut: number;
  cacheReads: number;
  cacheWrites: number;
  cost: number | null;
}

export interface VisibleEditor {
  uri: string;
  ranges?: Range[];
}

export interface WaitingAsk {
  ts: number;
  kind: "tool" | "command" | "browser_action_launch" | "use_mcp_server" | "followup" | "completion_result" | "api_req_failed" | "mistake_limit_reached" | "auto_approval_max_req_reached" | "resume_completed_task" | "resume_task" | "command_output";
  category: "interactive" | "idle" | "resumable" | "non-blocking";
  actions: Action[];
}

export interface ClientRequests {
  "agent/newTask": [NewTaskParams, TaskReference];
  "agent/state": [StateParams, Snapshot];
  "agent/askResponse": [AskResponseParams, Answered];
  "agent/sendMessage": [SendMessageParams, Sent];
  "agent/queue": [QueueParams, QueueList];
  "agent/cancelTask": [TaskParams, Status];
  "agent/clearTask": [OptionalTaskParams, null];
  "agent/condense": [CondenseParams, null];
  "agent/resumeTask": [TaskParams, Status];
  "agent/listTasks": [ListTasksParams, TaskList];
  "agent/renameTask": [RenameTaskParams, null];
  "agent/deleteTask": [TaskParams, null];
  "agent/forkTask": [ForkTaskParams, ForkedTask];
  "agent/exportTask": [TaskParams, ExportedTask];
  "agent/terminalOperation": [TerminalOperationParams, Operated];
  "agent/preview": [PreviewParams, Preview];
  "agent/checkpoints": [TaskParams, CheckpointList];
  "agent/checkpointDiff": [CheckpointDiffParams, CheckpointDifference];
  "agent/restore": [RestoreParams, Restoration];
  "agent/setMode": [SetModeParams, null];
  "agent/listModes": [OptionalTaskParams, ModeList];
  "agent/listCommands": [NoParams, CommandList];
  "agent/listProfiles": [OptionalTaskParams, ProfileList];
  "agent/setProfile": [SetProfileParams, null];
  "agent/setPermissionMode": [SetPermissionModeParams, null];
  "agent/permissions": [PermissionsParams, PermissionList];
  "agent/trust": [TrustParams, TrustList];
  "agent/debugReport": [NoParams, string];
}

export interface ClientNotifications {
  "agent/editorContext": [EditorContextParams];
}

export interface ServerRequests {
  "agent/save": [SaveParams, SaveResult];
  "agent/diagnostics": [DiagnosticsParams, DiagnosticsResult];
}

export interface ServerNotifications {
  "agent/message": [MessageNotice | DeletionNotice];
  "agent/messageDelta": [DeltaNotice];
  "agent/state": [Status];
}
