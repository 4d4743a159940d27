// What the text of a `tool` row says: JSON, while it grows one line of it and then the change as it comes.

import type { Change, Message } from "./protocol.ts";

export interface ToolAsk {
  tool: string;
  path?: string;
  paths?: string[];
  reason?: string;
  isOutsideWorkspace?: boolean;
  isProtected?: boolean;
  changes?: Change[];
  [field: string]: unknown;
}

export interface ToolText {
  ask: ToolAsk;
  /** What is there of the change so far, while the model still writes it. */
  growing: string | undefined;
}

export function readToolText(text: string | undefined): ToolText | undefined {
  const [head = "", ...rest] = splitOnce(text ?? "");
  const ask = parsed(head);
  return ask ? { ask, growing: rest[0] } : undefined;
}

/** The changes that a message is about. */
export function changesOf(message: Message | undefined): Change[] {
  const isTool = message?.ask === "tool" || message?.say === "tool";
  return isTool ? (readToolText(message?.text)?.ask.changes ?? []) : [];
}

/** What a lasting yes to this ask would allow, in words; nothing where there can be none. */
export function rememberOffer(message: Message | undefined): string | undefined {
  const remember = objectIn((message?.text ?? "").split("\n", 1)[0] ?? "")["remember"];
  const text = typeof remember === "object" && remember !== null && "text" in remember ? remember.text : undefined;
  return message?.type === "ask" && typeof text === "string" ? text : undefined;
}

function splitOnce(text: string): string[] {
  const end = text.indexOf("\n");
  return end < 0 ? [text] : [text.slice(0, end), text.slice(end + 1)];
}

function parsed(text: string): ToolAsk | undefined {
  const value = objectIn(text);
  return "tool" in value ? (value as ToolAsk) : undefined;
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
