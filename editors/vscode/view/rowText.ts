// The words of a row, read out of a message's text where that is JSON. For the eye and for screen readers alike.

import type { Message } from "../src/protocol.ts";
import { readToolText } from "../src/toolAsk.ts";

export interface Facts {
  title: string;
  label: string;
  place: string;
  reason: string;
  segments: readonly { text: string; verdict: string }[];
}

const TOOLS: Record<string, string> = {
  readFile: "Read",
  listFilesTopLevel: "List",
  listFilesRecursive: "List all of",
  searchFiles: "Search",
  newFileCreated: "Create",
  editedExistingFile: "Edit",
  appliedDiff: "Edit",
  deletedFile: "Delete",
  renamedFile: "Rename",
  saveFiles: "Save these files, then it goes on",
  switchMode: "Switch the mode",
  newTask: "Start a sub-task",
  updateTodoList: "Update the list",
  fetchUrl: "Fetch",
};

export function facts(message: Message): Facts {
  const kind = message.ask ?? message.say ?? "";
  const none = { title: title(kind), label: message.text ?? "", place: "", reason: "", segments: [] };
  switch (kind) {
    case "tool":
      return { ...none, ...toolFacts(message) };
    case "command": {
      const value = json(message.text);
      return { ...none, label: text(value["command"]) || none.label, place: text(value["cwd"]), reason: text(value["reason"]), segments: segments(value["segments"]) };
    }
    case "user_feedback_diff": {
      const value = json(message.text);
      const hunks = text(value["diff"]).replace(/^(diff --git|index|---|\+\+\+) .*\n/gm, "");
      return { ...none, label: hunks.trimEnd() || none.label, place: text(value["path"]) };
    }
    case "followup":
      return { ...none, label: text(json(message.text)["question"]) };
    case "api_req_started":
      return { ...none, label: "Asking the model…" };
    case "api_req_failed": {
      const value = json(message.text);
      const hint = text(value["hint"]);
      return { ...none, label: text(value["message"]) + (hint ? `\n\n${hint}` : "") };
    }
    case "api_req_retry_delayed": {
      return { ...none, ...retryFacts(json(message.text)) };
    }
    case "auto_approval_max_req_reached": {
      const value = json(message.text);
      return { ...none, label: `The limit of ${text(value["limit"])} ${value["type"] === "cost" ? "dollars" : "requests"} is reached.` };
    }
    case "condense_context":
    case "sliding_window_truncation": {
      const value = json(message.text);
      const sizes = [value["prevContextTokens"], value["newContextTokens"]].filter((one) => typeof one === "number").map(short);
      return { ...none, label: text(value["summary"]) || (message.text?.startsWith("{") ? "" : none.label), place: sizes.length === 2 ? `${sizes.join(" → ")} tokens` : "" };
    }
    case "use_mcp_server": {
      const value = json(message.text);
      return { ...none, label: `${text(value["serverName"])}: ${text(value["toolName"]) || text(value["uri"])}\n${text(value["arguments"])}` };
    }
    case "browser_action_launch":
      return { ...none, label: text(json(message.text)["url"]) };
    default:
      return none;
  }
}

function toolFacts(message: Message): Partial<Facts> {
  const ask = readToolText(message.text)?.ask;
  if (!ask) {
    return {};
  }
  const name = TOOLS[ask.tool] ?? ask.tool;
  const place = ask.path ?? ask.paths?.join(", ") ?? "";
  const query = typeof ask["regex"] === "string" ? ` for ${ask["regex"]}` : "";
  return { title: name + query, label: `${name} ${place}`.trim(), place };
}

function retryFacts(value: Record<string, unknown>): Pick<Facts, "title" | "label"> {
  const seconds = Number(value["seconds"] ?? 0);
  const reason = text(value["reason"]).replace(/\.?$/, ".");
  return seconds > 0 ? { title: TITLES["api_req_retry_delayed"] ?? "", label: `${reason} Next try in ${seconds} s.` } : { title: "Tried again", label: reason };
}

/** A request is over exactly when its row has one of these. */
export function isOver(request: Message): boolean {
  const value = json(request.text);
  return "cost" in value || "cancelReason" in value;
}

export function short(count: number): string {
  return count < 1000 ? String(count) : count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

const TITLES: Record<string, string> = {
  error: "Error",
  diff_error: "The edit did not fit",
  ignore_error: "Left alone",
  api_req_failed: "The request failed",
  api_req_retry_delayed: "It will try again",
  api_req_rate_limit_wait: "Waiting for the rate limit",
  mistake_limit_reached: "It is stuck",
  auto_approval_max_req_reached: "A limit is reached",
  condense_context: "Context condensed",
  condense_context_error: "The context was not condensed",
  sliding_window_truncation: "Context cut",
  mcp_server_request_started: "Asking an MCP server",
  mcp_server_response: "An MCP server's answer",
  use_mcp_server: "Use an MCP server",
  browser_action_launch: "Open a page",
  resume_task: "Stopped here",
  resume_completed_task: "This task was done",
  info: "Note",
};

function title(kind: string): string {
  const words = kind.replaceAll("_", " ");
  return TITLES[kind] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

export function json(source: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(source ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}

function segments(value: unknown): { text: string; verdict: string }[] {
  const rows = Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
  return rows.map((row) => ({ text: text(row["text"]), verdict: text(row["verdict"]) }));
}

const STEPS: readonly [number, string][] = [
  [60, "min"],
  [24, "h"],
  [365, "d"],
];

/** How long ago, in the largest unit that says it. */
export function ago(ts: number, now: number = Date.now()): string {
  let left = Math.floor(Math.max(now - ts, 0) / 60_000);
  if (left < 1) {
    return "now";
  }
  for (const [count, unit] of STEPS) {
    if (left < count) {
      return `${left} ${unit}`;
    }
    left = Math.floor(left / count);
  }
  return `${left} y`;
}
