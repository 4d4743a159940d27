// The settings as the user set them in this editor. The server's are nested as it takes them: only what was written.

import * as vscode from "vscode";

import { userValue } from "./userValue.ts";

type Tree = { [name: string]: unknown };

/** A setting as the user wrote it, or what there is without. */
export function userSetting<T>(section: string, name: string, without: T): T {
  return userValue(vscode.workspace.getConfiguration(section).inspect<T>(name)) ?? without;
}

/** What the section `agent` says, without the editor's defaults. */
export function explicitSettings(): Tree {
  const configuration = vscode.workspace.getConfiguration("agent");
  const tree: Tree = {};
  for (const name of settingNames()) {
    const value = userValue(configuration.inspect<unknown>(name));
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
