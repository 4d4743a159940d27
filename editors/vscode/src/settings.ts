// The server's settings as they were set in this editor: only what somebody wrote, nested as the server takes them.

import * as vscode from "vscode";

type Tree = { [name: string]: unknown };

/** What the section `agent` says, without the editor's defaults. */
export function explicitSettings(): Tree {
  const configuration = vscode.workspace.getConfiguration("agent");
  const tree: Tree = {};
  for (const name of settingNames()) {
    const found = configuration.inspect<unknown>(name);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (value !== undefined) {
      put(tree, name.split("."), value);
    }
  }
  return tree;
}

function settingNames(): string[] {
  const extension = vscode.extensions.getExtension("agent-lsp.agent-lsp");
  const properties: Tree = extension?.packageJSON?.contributes?.configuration?.properties ?? {};
  return Object.keys(properties)
    .filter((name) => name.startsWith("agent."))
    .map((name) => name.slice("agent.".length));
}

function put(tree: Tree, path: string[], value: unknown): void {
  const [first, ...rest] = path;
  if (first === undefined) {
    return;
  }
  if (rest.length === 0) {
    tree[first] = value;
    return;
  }
  tree[first] ??= {};
  put(tree[first] as Tree, rest, value);
}
