import assert from "node:assert/strict";
import { test } from "node:test";

import { hunkAt, lineNumber, linesOf, type Side } from "../src/hunks.ts";
import type { Hunk } from "../src/protocol.ts";

const BOTH = hunk("both", "@@ -3,5 +4,5 @@", 3, " a", "-b", "+B", " c");
const ADDED = hunk("added", "@@ -10,2 +11,3 @@", 10, " a", "+new", " b");
const REMOVED = hunk("removed", "@@ -20,3 +22,2 @@", 20, " a", "-old", " b");
const FIRST = hunk("first", "@@ -0,0 +1,2 @@", 1, "+one", "+two");
const APART = hunk("apart", "@@ -30,4 +30,4 @@", 30, "-a", "+A", " b", " c", "-d", "+D");
const BARE: Hunk = { id: "bare", header: "", startLine: 5 };

function hunk(id: string, header: string, startLine: number, ...lines: string[]): Hunk {
  return { id, header, startLine, lines };
}

test("a hunk is where its changed lines are", () => {
  const places = [BOTH, ADDED, REMOVED, FIRST, APART, BARE].map((one) => [one.id, linesOf(one, "before"), linesOf(one, "after")]);

  assert.deepEqual(places, [
    ["both", { first: 3, behind: 4 }, { first: 4, behind: 5 }],
    ["added", { first: 10, behind: 10 }, { first: 11, behind: 12 }],
    ["removed", { first: 20, behind: 21 }, { first: 22, behind: 22 }],
    ["first", { first: 0, behind: 0 }, { first: 0, behind: 2 }],
    ["apart", { first: 29, behind: 33 }, { first: 29, behind: 33 }],
    ["bare", { first: 4, behind: 4 }, { first: 4, behind: 4 }],
  ]);
  assert.equal(lineNumber(BOTH), 4);
});

const FOUND: [Hunk[], Side, Record<number, string>][] = [
  [[BOTH], "before", { 3: "both" }],
  [[BOTH], "after", { 4: "both" }],
  [[ADDED], "before", { 9: "added", 10: "added" }],
  [[ADDED], "after", { 11: "added" }],
  [[REMOVED], "before", { 20: "removed" }],
  [[REMOVED], "after", { 21: "removed", 22: "removed" }],
  [[FIRST], "before", { 0: "first" }],
  [[ADDED, { ...BOTH, startLine: 10 }], "before", { 9: "added", 10: "both" }],
  [[], "before", {}],
];

test("a line elsewhere belongs to no hunk", () => {
  for (const [hunks, side, wanted] of FOUND) {
    const found = [...Array(40).keys()].flatMap((line) => {
      const id = hunkAt(hunks, line, side)?.id;
      return id === undefined ? [] : [[line, id]];
    });

    assert.deepEqual(Object.fromEntries(found), wanted);
  }
});
