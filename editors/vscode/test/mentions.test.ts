import assert from "node:assert/strict";
import { test } from "node:test";

import { isWhole, mention, withMentions } from "../src/mentions.ts";

const lines = (first: number, last: number, character = 3) => ({ start: { line: first, character: 0 }, end: { line: last, character } });

const WRITTEN: [string, Parameters<typeof mention>][] = [
  ["@/lib/app.py", ["lib/app.py"]],
  ["@/lib/", ["lib/"]],
  ["@/my\\ file.txt:3", ["my file.txt", lines(2, 2)]],
  ["@/a.py:3-5", ["a.py", lines(2, 4)]],
  ["@/a.py:3-4", ["a.py", lines(2, 4, 0)]],
  ["@/a.py:3", ["a.py", lines(2, 2, 0)]],
  ["@/tmp/a.py", ["/tmp/a.py"]],
  ['@"C:/a.py":3', ["C:\\a.py", lines(2, 2)]],
  ['@"/a@b.py"', ["a@b.py"]],
  ['@"/a.":1', ["a.", lines(0, 0)]],
  ['@"/say \\"hi\\".txt"', ['say "hi".txt']],
  ["@/Größe.md", ["Größe.md"]],
];

for (const [written, place] of WRITTEN) {
  test(`a mention is written ${written}`, () => {
    assert.equal(mention(...place), written);
  });
}

test("what goes with words stands behind them", () => {
  const places = [
    { label: "a.py", uri: "file:///w/a.py", range: lines(0, 1) },
    { label: "lib/b.py", uri: "file:///w/lib/b.py" },
  ];

  assert.equal(withMentions("Look here", places), "Look here\n\n@/a.py:1-2 @/lib/b.py");
  assert.equal(withMentions("", places), "@/a.py:1-2 @/lib/b.py");
  assert.equal(withMentions("Look", []), "Look");
});

test("a whole path begins at the root or a drive", () => {
  assert.deepEqual(["/a", "C:\\a", "c:/a", "a/b", "a:b", "~/a"].map(isWhole), [true, true, true, false, false, false]);
});
