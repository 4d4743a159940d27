import assert from "node:assert/strict";
import { test } from "node:test";

import { checkpointWords } from "../src/checkpointWords.ts";
import type { CheckpointRow, Message } from "../src/protocol.ts";

const NOON = new Date(2026, 5, 1, 12, 0, 0);
const change = { kind: "edit", path: "a.ts" };

function row(reason: CheckpointRow["reason"], id = "c1"): CheckpointRow {
  return { id, ts: NOON.getTime(), reason };
}

function message(kind: "text" | "command" | "tool", text: string): Message {
  return { ts: 1, type: "say", say: kind, text, checkpoint: { id: "c1" } };
}

const DETAILS: [Message, string][] = [
  [message("text", "Teach it\n\n days"), "Teach it days"],
  [message("text", "x".repeat(200)), `${"x".repeat(80)}…`],
  [message("command", '{"command": "npm test"}'), "npm test"],
  [message("command", "ls"), "ls"],
  [message("tool", JSON.stringify({ tool: "appliedDiff", changes: [change, { ...change, kind: "create" }] })), "edit a.ts, create a.ts"],
  [message("tool", '{"tool": "saveFiles", "path": "b.ts"}'), "saveFiles b.ts"],
];

test("a checkpoint is told by the first words of what came next", () => {
  const details = DETAILS.map(([next]) => checkpointWords(row("message"), [next], NOON).detail);

  assert.deepEqual(
    details,
    DETAILS.map(([, detail]) => detail),
  );
});

test("of several messages after one checkpoint the first one counts", () => {
  const words = checkpointWords(row("message"), [message("text", "mine"), message("command", "ls")], NOON);

  assert.deepEqual(words, { label: NOON.toLocaleTimeString(), description: "before your message", detail: "mine" });
});

test("one whose message is not here says when and why it was taken", () => {
  const words = checkpointWords(row("command", "other"), [message("text", "mine")], new Date(2026, 5, 2));

  assert.deepEqual(words, { label: NOON.toLocaleString(), description: "before a command" });
});
