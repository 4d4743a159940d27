import assert from "node:assert/strict";
import { test } from "node:test";

import { diffLines } from "../view/diffParts.ts";

/** A line as it is marked: what changed stands between brackets. */
function marked(lines: string[]): string[] {
  return diffLines(lines).map(({ head, changed, tail }) => (changed ? `${head}[${changed}]${tail}` : head + tail));
}

const CASES: [string, string[], string[]][] = [
  ["nothing", [], []],
  ["what is the same has no mark", [" a", " b"], ["a", "b"]],
  ["a word that was replaced", ["-let a = 1;", "+let b = 1;"], ["let [a] = 1;", "let [b] = 1;"]],
  ["what came in", ["-f(a)", "+f(a, b)"], ["f(a)", "f(a[, b])"]],
  ["lines are compared in order", ["-x = 10", "-y = 20", "+x = 11", "+y = 21"], ["x = 1[0]", "y = 2[0]", "x = 1[1]", "y = 2[1]"]],
  ["one line for two is not compared", ["-x = 1", "+x = 2", "+y = 3"], ["x = 1", "x = 2", "y = 3"]],
  ["lines with little in common are not compared", ["-import os", "+return None"], ["import os", "return None"]],
  ["characters of two halves stay whole", ["-say 🦊!", "+say 🦉!"], ["say [🦊]!", "say [🦉]!"]],
  ["an empty line", ["-", "+"], ["", ""]],
];

for (const [name, lines, expected] of CASES) {
  test(name, () => {
    const shown = marked(lines);

    assert.deepEqual(shown, expected);
  });
}

test("a line keeps its text and its kind, whatever is marked in it", () => {
  const lines = ["-a🦊b", "+a🦉b", " c", "+d"];

  const read = diffLines(lines);

  assert.deepEqual(read.map(({ kind }) => kind), ["removed", "added", "same", "added"]);
  assert.deepEqual(read.map(({ head, changed, tail }) => head + changed + tail), lines.map((line) => line.slice(1)));
});
