import assert from "node:assert/strict";
import { test } from "node:test";

import { type Word, wordBefore } from "../view/word.ts";

const WORDS: [before: string, word: Word | undefined][] = [
  ["@", { kind: "@", query: "", start: 0 }],
  ["see @/src/a", { kind: "@", query: "/src/a", start: 4 }],
  ["(@a", { kind: "@", query: "a", start: 1 }],
  ['"@a', { kind: "@", query: "a", start: 1 }],
  ["**@a", { kind: "@", query: "a", start: 2 }],
  ["fix:@a", { kind: "@", query: "a", start: 4 }],
  ["@/a.py,@/b", { kind: "@", query: "/b", start: 7 }],
  ["one\n@a", { kind: "@", query: "a", start: 4 }],
  ["/co", { kind: "/", query: "co", start: 0 }],
  ["ada@example", undefined],
  ["\\@a", undefined],
  ["@a b", undefined],
  ["see /co", undefined],
  ["", undefined],
];

for (const [before, word] of WORDS) {
  test(`what is offered behind ${JSON.stringify(before)}`, () => {
    assert.deepEqual(wordBefore(before), word);
  });
}
