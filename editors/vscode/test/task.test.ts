import assert from "node:assert/strict";
import { test } from "node:test";

import type { Message, Status } from "../src/protocol.ts";
import { Task, type TaskEvent } from "../src/task.ts";
import { changesOf, readToolText } from "../src/toolAsk.ts";

const status = (more: Partial<Status> = {}): Status => ({ taskId: "t", instanceId: "i", seq: 1, state: "running", ask: null, title: "", ...more }) as Status;
const say = (ts: number, text: string): Message => ({ ts, type: "say", say: "text", text });

function opened(messages: Message[]): { task: Task; events: TaskEvent[] } {
  const events: TaskEvent[] = [];
  const task = new Task((event) => events.push(event));
  task.load({ ...status(), messages, seq: 1, hasMore: false });
  events.length = 0;
  return { task, events };
}

const notice = <M>(message: M, taskId = "t") => ({ taskId, instanceId: "i", seq: 2, message });

test("messages come in order, are replaced by ts, and grow", () => {
  const { task } = opened([say(1, "a")]);

  task.receive(notice({ ...say(2, "b"), partial: true }));
  task.grow({ taskId: "t", instanceId: "i", seq: 3, ts: 2, append: "c" });
  task.receive(notice(say(1, "A")));

  assert.deepEqual(task.messages.map((one) => one.text), ["A", "bc"]);
});

test("what was rewound goes", () => {
  const { task, events } = opened([say(1, "a"), say(2, "b")]);

  task.receive(notice({ ts: 2, deleted: true }));

  assert.deepEqual(task.messages.map((one) => one.ts), [1]);
  assert.deepEqual(events, [{ type: "deleted", ts: 2 }]);
});

test("another task's messages are not shown", () => {
  const { task, events } = opened([say(1, "a")]);

  task.receive(notice(say(2, "b"), "other"));
  task.grow({ taskId: "other", instanceId: "i", seq: 3, ts: 1, append: "x" });
  const taken = task.become(status({ taskId: "other" }));

  assert.equal(taken, false);
  assert.deepEqual(task.messages, [say(1, "a")]);
  assert.deepEqual(events, []);
});

test("older messages go before those that are there, once", () => {
  const { task } = opened([say(3, "c")]);

  task.prepend([say(1, "a"), say(2, "b"), say(3, "again")], false);

  assert.deepEqual(task.messages.map((one) => one.text), ["a", "b", "c"]);
});

test("decisions on hunks gather, and are forgotten with the task", () => {
  const { task } = opened([say(1, "a")]);

  task.decide(1, "h1", "accept");
  task.decide(1, "h2", "reject");
  task.decide(1, "h1", "reject");

  assert.deepEqual(task.decisions(1), { h1: "reject", h2: "reject" });
  task.clear();
  assert.deepEqual(task.decisions(1), {});
  assert.equal(task.taskId, undefined);
});

const TOOL_TEXTS: [string | undefined, unknown][] = [
  [undefined, undefined],
  ["", undefined],
  ["no json", undefined],
  ["[]", undefined],
  ['{"path": "a"}', undefined],
  ['{"tool": "readFile", "path": "a"}', { ask: { tool: "readFile", path: "a" }, growing: undefined }],
  ['{"tool": "appliedDiff"}\n', { ask: { tool: "appliedDiff" }, growing: "" }],
  ['{"tool": "appliedDiff"}\n+a\n+b', { ask: { tool: "appliedDiff" }, growing: "+a\n+b" }],
];

for (const [text, read] of TOOL_TEXTS) {
  test(`text of a tool row: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(readToolText(text), read);
  });
}

test("only tool rows have changes", () => {
  assert.deepEqual(changesOf(say(1, '{"tool": "x", "changes": [1]}')), []);
  assert.deepEqual(changesOf({ ts: 1, type: "ask", ask: "tool", text: '{"tool": "x", "changes": [1]}' }), [1]);
  assert.deepEqual(changesOf(undefined), []);
});
