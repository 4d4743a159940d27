import assert from "node:assert/strict";
import { test } from "node:test";

import { placeOf } from "../view/links.ts";

const LINKS: [string, string | undefined, number?][] = [
  ["src/a.py", "src/a.py"],
  ["src/a.py:3", "src/a.py", 3],
  ["src/a.py:3:14", "src/a.py", 3],
  ["src/a.py:3-5", "src/a.py", 3],
  ["a.py#L3", "a.py", 3],
  ["a.py#L3-L5", "a.py", 3],
  ["a.py#3", "a.py", 3],
  ["/tmp/a.py:3", "/tmp/a.py", 3],
  ["C:\\src\\a.py:3", "C:\\src\\a.py", 3],
  ["c:/src/a.py", "c:/src/a.py"],
  ["file:///tmp/my%20file.py", "/tmp/my file.py"],
  ["100%.md", "100%.md"],
  ["javascript:alert(1)", undefined],
  ["command:workbench.action.quit", undefined],
  ["mailto:ada@example.org", undefined],
  ["#heading", undefined],
  ["a.py?x=1", undefined],
  ["", undefined],
];

for (const [href, path, line] of LINKS) {
  test(`a link to ${JSON.stringify(href)}`, () => {
    assert.deepEqual(placeOf(href), path === undefined ? undefined : { path, line });
  });
}
