// What the extension and its view say to each other. The view knows nothing of the editor, the extension nothing of HTML.

import type { Message, QueuedWords, Status, TaskSummary } from "./protocol.ts";
import type { HunkDecision, YesOrNo } from "./task.ts";

export type ServerState = "missing" | "starting" | "ready" | "stopped";

export interface Attachment {
  label: string;
  uri: string;
  range?: { start: { line: number; character: number }; end: { line: number; character: number } };
}

/** What was written and not yet said. */
export interface Draft {
  text: string;
  images: readonly string[];
  attachments: readonly Attachment[];
}

export interface Completion {
  label: string;
  detail: string;
  insert: string;
}

/** What there is before a task: how the next one would be done, and earlier ones. */
export interface Home {
  tasks: readonly TaskSummary[];
  mode?: string;
  model?: string;
  permissionMode?: Status["permissionMode"];
  /** Why no task can be started yet. */
  problem?: string;
}

/** From the extension to the view. */
export type ToView =
  | { type: "server"; state: ServerState; methods: readonly string[]; folders: readonly string[] }
  | { type: "home"; home: Home }
  | { type: "queue"; words: readonly QueuedWords[] }
  | { type: "draft"; draft: Draft }
  | { type: "snapshot"; status: Status | undefined; messages: readonly Message[]; hasMore: boolean; decisions: Record<number, Record<string, HunkDecision>> }
  | { type: "message"; message: Message }
  | { type: "deleted"; ts: number }
  | { type: "delta"; ts: number; append: string }
  | { type: "status"; status: Status }
  | { type: "decisions"; ts: number; hunks: Record<string, HunkDecision> }
  | { type: "completions"; request: number; items: readonly Completion[] }
  | { type: "compose"; text: string; attachments: readonly Attachment[]; images: readonly string[]; takesFocus: boolean }
  /** These words are on their way, by a key outside of the page. */
  | { type: "taken"; text: string }
  | { type: "notice"; text: string };

/** From the view to the extension. */
export type FromView =
  | { type: "ready" }
  /** At each change of the prompt; pictures only where they have changed. */
  | { type: "draft"; text: string; attachments: readonly Attachment[]; images?: readonly string[] }
  | { type: "send"; text: string; images: readonly string[]; attachments: readonly Attachment[] }
  | { type: "answer"; ts: number; response: YesOrNo; text: string }
  /** To a question, an answer that it suggests. */
  | { type: "suggested"; ts: number; text: string }
  | { type: "call"; method: string }
  | { type: "decide"; ts: number; hunk: string; decision: HunkDecision }
  | { type: "diff"; ts: number; path: string }
  | { type: "open"; path: string; line?: number }
  | { type: "terminal"; ts: number; operation: "continue" | "abort" | "show" }
  | { type: "complete"; request: number; kind: "@" | "/"; query: string }
  | { type: "pick"; what: "mode" | "profile" | "permissions" }
  | { type: "older"; before: number }
  | { type: "restore"; ts: number; what?: "conversation" }
  | { type: "remember"; ts: number }
  | { type: "copy"; text: string }
  | { type: "resume"; taskId: string }
  | { type: "queue"; op: "edit" | "remove"; messageId: string }
  | { type: "command"; command: "newTask" | "history" | "configure" | "demo" | "restart" | "cancel" | "condense" | "setup" | "showLog" };
