import assert from "node:assert/strict";
import { test } from "node:test";

import { modelOf } from "../src/home.ts";
import type { Message } from "../src/protocol.ts";
import { ago, facts, isOver } from "../view/rowText.ts";

const say = (kind: Message["say"], text: unknown): Message => ({ ts: 1, type: "say", say: kind!, text: typeof text === "string" ? text : JSON.stringify(text) });

const LABELS: [Message, string][] = [
  [say("text", "words"), "words"],
  [say("api_req_retry_delayed", { attempt: 1, seconds: 4, reason: "It is overloaded." }), "It is overloaded. Next try in 4 s."],
  [say("api_req_retry_delayed", { attempt: 1, seconds: 0, reason: "It is overloaded" }), "It is overloaded."],
  [say("condense_context", { summary: "What was done.", prevContextTokens: 91_000, newContextTokens: 8100 }), "What was done."],
  [say("condense_context", {}), ""],
  [say("condense_context", "no JSON"), "no JSON"],
  [say("tool", { tool: "searchFiles", path: "src", regex: "a.b" }), "Search src"],
  [say("tool", { tool: "aNewTool", path: "x" }), "aNewTool x"],
  [say("tool", "no JSON"), "no JSON"],
];

for (const [message, label] of LABELS) {
  test(`the words of ${message.say} ${message.text}`, () => {
    assert.equal(facts(message).label, label);
  });
}

test("a kind that is not known is called by its name", () => {
  assert.equal(facts(say("a_new_kind" as "info", "x")).title, "A new kind");
});

test("a request is over once it has a cost or the reason for its end", () => {
  const texts = [{}, { request: "x" }, { cost: null }, { cost: 0.1 }, { cancelReason: "user_cancelled" }];

  assert.deepEqual(texts.map((text) => isOver(say("api_req_started", text))), [false, false, true, true, true]);
});

const AGES: [number, string][] = [
  [-5, "now"],
  [0, "now"],
  [59_999, "now"],
  [60_000, "1 min"],
  [59 * 60_000, "59 min"],
  [60 * 60_000, "1 h"],
  [24 * 3_600_000, "1 d"],
  [800 * 24 * 3_600_000, "2 y"],
];

for (const [age, words] of AGES) {
  test(`${age} ms ago is ${words}`, () => {
    assert.equal(ago(10_000_000_000_000, 10_000_000_000_000 + age), words);
  });
}

test("tasks to come have the model of the current profile, and its problem", () => {
  const profile = (name: string, isCurrent: boolean, problem?: string) => ({ name, type: "openai", model: "", isCurrent, ...(problem && { problem }) });

  assert.deepEqual(modelOf([profile("a", false), profile("b", true)]), { model: "b" });
  assert.deepEqual(modelOf([profile("a", true, "No key.")]), { model: "a", problem: "No key." });
  assert.ok(modelOf([]).problem);
});
