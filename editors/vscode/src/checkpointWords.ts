// By what a checkpoint is told from others in a list: when it was taken, and what came next. No editor in here.

import type { CheckpointRow, Message } from "./protocol.ts";
import { readToolText } from "./toolAsk.ts";

const MOST = 80;

export interface Words {
  label: string;
  description: string;
  detail?: string;
}

export function checkpointWords(row: CheckpointRow, messages: readonly Message[], now = new Date()): Words {
  const when = new Date(row.ts);
  const isToday = when.toDateString() === now.toDateString();
  // What changed nothing in between shares one checkpoint: it is known by the first of them.
  const next = messages.find((message) => message.checkpoint?.id === row.id);
  const detail = next && firstWords(next);
  return {
    label: isToday ? when.toLocaleTimeString() : when.toLocaleString(),
    description: `before ${row.reason === "message" ? "your message" : `a ${row.reason}`}`,
    ...(detail && { detail }),
  };
}

function firstWords(message: Message): string {
  const words = wordsOf(message).replace(/\s+/g, " ").trim();
  return words.length > MOST ? `${words.slice(0, MOST)}…` : words;
}

function wordsOf(message: Message): string {
  const text = message.text ?? "";
  switch (message.ask ?? message.say) {
    case "tool": {
      const ask = readToolText(text)?.ask;
      const changes = ask?.changes?.map((change) => `${change.kind} ${change.path}`).join(", ");
      return changes || [ask?.tool, ask?.path].filter(Boolean).join(" ");
    }
    case "command":
      return commandOf(text);
    default:
      return text;
  }
}

function commandOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const command = typeof value === "object" && value !== null && "command" in value ? value.command : undefined;
    return typeof command === "string" ? command : text;
  } catch {
    return text;
  }
}
