import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { findServer, readAddress, shellLine } from "../src/serverCommand.ts";

function program(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "agent-lsp");
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  return file;
}

test("the first on the path is taken", () => {
  const root = mkdtempSync(path.join(tmpdir(), "path-"));
  const first = program(path.join(root, "a"));
  program(path.join(root, "b"));

  const found = findServer("", [path.join(root, "none"), path.join(root, "a"), path.join(root, "b")].join(path.delimiter), []);

  assert.deepEqual(found, { command: first, args: ["--stdio"] });
});

test("a program in a workspace is never taken from the path", () => {
  const root = mkdtempSync(path.join(tmpdir(), "path-"));
  program(path.join(root, "workspace", "bin"));
  const other = program(path.join(root, "workspace-tools"));
  const search = [path.join(root, "workspace", "bin"), path.join(root, "workspace-tools"), "bin", ""].join(path.delimiter);

  assert.equal(findServer("", search, [path.join(root, "workspace")])?.command, other);
  assert.equal(findServer("", path.join(root, "workspace", "bin"), [path.join(root, "workspace")], root), undefined);
});

test("what the settings name is taken, if it can be run", () => {
  const root = mkdtempSync(path.join(tmpdir(), "path-"));
  const named = program(root);

  assert.equal(findServer(named, "", [])?.command, named);
  assert.equal(findServer(path.join(root, "none"), root, [], root), undefined);
  assert.equal(findServer(root, "", [], root), undefined);
});

test("what an installer put into the user's own folder is found, behind the path and never in a workspace", () => {
  const home = mkdtempSync(path.join(tmpdir(), "home-"));
  const installed = program(path.join(home, ".local", "bin"));
  const first = program(path.join(home, "first"));

  assert.equal(findServer("", "", [], home)?.command, installed);
  assert.equal(findServer("", path.dirname(first), [], home)?.command, first);
  assert.equal(findServer("", "", [home], home), undefined);
});

const LINES: [string, string[], string][] = [
  ["/bin/bash", ["/opt/bin/agent-lsp", "demo"], "/opt/bin/agent-lsp demo"],
  ["/usr/bin/zsh", ["/opt/my bin/agent-lsp", "demo"], "'/opt/my bin/agent-lsp' demo"],
  ["/usr/bin/fish", ["/opt/it's $HOME/agent-lsp", "demo"], "'/opt/it'\\''s $HOME/agent-lsp' demo"],
  ["C:\\Program Files\\Git\\bin\\bash.exe", ["C:\\bin\\agent-lsp.exe", "demo"], "'C:\\bin\\agent-lsp.exe' demo"],
  ["C:\\Windows\\System32\\cmd.exe", ["C:\\my bin\\agent-lsp.exe", "demo"], '"C:\\my bin\\agent-lsp.exe" demo'],
  ["C:\\Windows\\powershell.exe", ["C:\\it's\\agent-lsp.exe", "demo"], "& 'C:\\it''s\\agent-lsp.exe' demo"],
  ["/usr/bin/pwsh", ["uv", "tool", "install", "/a b/x.whl"], "uv tool install '/a b/x.whl'"],
];

for (const [shell, words, line] of LINES) {
  test(`${line} in ${shell}`, () => {
    assert.equal(shellLine(shell, ...words), line);
  });
}

const ADDRESSES: [string, unknown][] = [
  ["127.0.0.1:7777", { host: "127.0.0.1", port: 7777 }],
  [" localhost:1 ", { host: "localhost", port: 1 }],
  ["[::1]:7777", { host: "::1", port: 7777 }],
  ["", undefined],
  ["7777", undefined],
  [":7777", undefined],
  ["localhost:", undefined],
  ["localhost:http", undefined],
];

for (const [address, place] of ADDRESSES) {
  test(`the address ${JSON.stringify(address)}`, () => {
    assert.deepEqual(readAddress(address), place);
  });
}
