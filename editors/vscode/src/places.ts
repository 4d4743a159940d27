// Places in files: where the user is, as something to attach, and the way to a file that a message names.

import * as vscode from "vscode";

import { wireRange } from "./editorContext.ts";
import { isWhole } from "./mentions.ts";
import type { Attachment } from "./messages.ts";

/** The selection, or the line with the cursor, as a place to attach. */
export function here(): Attachment[] {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.uri.scheme !== "file") {
    return [];
  }
  const { selection, document } = editor;
  const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
  const lines = range.isSingleLine ? `${range.start.line + 1}` : `${range.start.line + 1}-${range.end.line + 1}`;
  return [{ label: `${vscode.workspace.asRelativePath(document.uri)}:${lines}`, uri: document.uri.toString(), range: wireRange(range) }];
}

/** What was dragged into the prompt, as the server knows it: a file of this machine, under the name that it has in the workspace. */
export function asPlace(place: Attachment): Attachment {
  const uri = vscode.Uri.parse(place.uri);
  const file = uri.scheme === "file" ? uri : vscode.Uri.file(uri.path);
  return { ...place, uri: file.toString(), label: vscode.workspace.asRelativePath(file) };
}

/** Brings up what a message names, with what the editor has for it: text, a picture, or the explorer for a folder. */
export async function openFile(path: string, line: number | undefined): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  for (const uri of isWhole(path) ? [vscode.Uri.file(path)] : folders.flatMap((folder) => inFolder(folder, path))) {
    const type = await typeOf(uri);
    if (type !== undefined) {
      await (type & vscode.FileType.Directory ? vscode.commands.executeCommand("revealInExplorer", uri) : open(uri, line));
      return;
    }
  }
  throw new Error(`${path} is not there.`);
}

/** With several folders open, the name of one may stand in front. */
function inFolder({ name, uri }: vscode.WorkspaceFolder, path: string): vscode.Uri[] {
  const within = path.startsWith(`${name}/`) ? [vscode.Uri.joinPath(uri, path.slice(name.length + 1))] : [];
  return [vscode.Uri.joinPath(uri, path), ...within];
}

async function open(uri: vscode.Uri, line: number | undefined): Promise<void> {
  const start = new vscode.Position(Math.max((line ?? 1) - 1, 0), 0);
  await vscode.commands.executeCommand("vscode.open", uri, { preview: true, ...(line !== undefined && { selection: new vscode.Range(start, start) }) });
}

async function typeOf(uri: vscode.Uri): Promise<vscode.FileType | undefined> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type;
  } catch {
    return undefined;
  }
}
