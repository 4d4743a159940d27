import assert from "node:assert/strict";
import { test } from "node:test";

import { type Inspected, userValue } from "../src/userValue.ts";

const VALUES: [found: Inspected<string> | undefined, value: string | undefined][] = [
  [{ globalValue: "default" }, "default"],
  [{ globalValue: "default", workspaceValue: "bypassPermissions" }, "default"],
  [{ workspaceValue: "bypassPermissions" }, undefined],
  [{ workspaceFolderValue: "bypassPermissions" }, undefined],
  [undefined, undefined],
];

test("a workspace sets nothing for its user", () => {
  for (const [found, value] of VALUES) {
    assert.equal(userValue(found), value);
  }
});
