import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts } from "../src/drafts.ts";

/** A memento that writes one value at a time, when it is told to. */
class Slow {
  readonly written: unknown[] = [];
  readonly waiting: (() => void)[] = [];

  constructor(private readonly before?: unknown) {}

  get<T>(_: string, otherwise?: T): T {
    return (this.before ?? otherwise) as T;
  }

  update(_: string, value: unknown): Promise<void> {
    this.written.push(value);
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

const words = (text: string): { type: "draft"; text: string; attachments: [] } => ({ type: "draft", text, attachments: [] });

test("what was kept before is there again", () => {
  const draft = { text: "half a tho", images: ["data:,"], attachments: [] };

  assert.deepEqual(new Drafts(new Slow(draft)).now, draft);
});

test("pictures stay until the page tells others", () => {
  const drafts = new Drafts(new Slow());
  void drafts.keep({ ...words("a"), images: ["data:,"] });

  void drafts.keep(words("ab"));
  assert.deepEqual(drafts.now, { text: "ab", images: ["data:,"], attachments: [] });

  void drafts.keep({ ...words(""), images: [] });
  assert.deepEqual(drafts.now, { text: "", images: [], attachments: [] });
});

test("words that were taken out come back before what was written since", () => {
  const place = { label: "a.py", uri: "file:///w/a.py" };
  const drafts = new Drafts(new Slow({ text: "not yet ", images: ["data:,"], attachments: [place] }));

  const text = drafts.takeText();
  assert.deepEqual([text, drafts.now], ["not yet ", { text: "", images: ["data:,"], attachments: [place] }]);

  void drafts.keep(words("later"));
  drafts.putBack({ text, images: ["data:1"], attachments: [place] });
  assert.deepEqual(drafts.now, { text: "not yet \nlater", images: ["data:1", "data:,"], attachments: [place] });
});

test("a fast writer costs two writes, and the last word is written", async () => {
  const workspace = new Slow();
  const drafts = new Drafts(workspace);

  const first = drafts.keep(words("a"));
  await Promise.all([drafts.keep(words("ab")), drafts.keep(words("abc"))]);
  workspace.waiting.shift()?.();
  await Promise.resolve();
  await Promise.resolve();
  workspace.waiting.shift()?.();
  await first;

  assert.deepEqual(workspace.written, [
    { text: "a", images: [], attachments: [] },
    { text: "abc", images: [], attachments: [] },
  ]);
});
