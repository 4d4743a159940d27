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
  editedExistingFile: "Write",
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
      return { ...none, label: requestLabel(json(message.text)) };
    case "api_req_failed": {
      const value = json(message.text);
      const hint = text(value["hint"]);
      return { ...none, label: text(value["message"]) + (hint ? `\n\n${hint}` : "") };
    }
    case "api_req_retry_delayed": {
      const value = json(message.text);
      return { ...none, label: `${text(value["reason"])} Next try in ${text(value["seconds"])} s.`.trim() };
    }
    case "auto_approval_max_req_reached": {
      const value = json(message.text);
      return { ...none, label: `The limit of ${text(value["limit"])} ${value["type"] === "cost" ? "dollars" : "requests"} is reached.` };
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

function requestLabel(value: Record<string, unknown>): string {
  if (!("cost" in value) && !("cancelReason" in value)) {
    return "Asking the model…";
  }
  const cost = typeof value["cost"] === "number" ? ` · $${value["cost"].toFixed(4)}` : "";
  const tokens = typeof value["tokensIn"] === "number" ? `${short(value["tokensIn"])} in, ${short(Number(value["tokensOut"] ?? 0))} out` : "Request";
  return `${tokens}${cost}${value["cancelReason"] ? ` · ${text(value["cancelReason"])}` : ""}`;
}

export function short(count: number): string {
  return count < 1000 ? String(count) : count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

function title(kind: string): string {
  const words = kind.replace(/^api_req_/, "request ").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
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
