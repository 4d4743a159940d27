// Places in files: where the user is, as something to attach, and the way to a file that a message names.

import * as vscode from "vscode";

import { wireRange } from "./editorContext.ts";
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

export async function openFile(path: string, line: number | undefined): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const candidates = path.startsWith("/") ? [vscode.Uri.file(path)] : folders.map((folder) => vscode.Uri.joinPath(folder.uri, path));
  for (const uri of candidates) {
    if (await exists(uri)) {
      const selection = line === undefined ? undefined : new vscode.Range(line - 1, 0, line - 1, 0);
      await vscode.window.showTextDocument(uri, { preview: true, ...(selection && { selection }) });
      return;
    }
  }
  throw new Error(`${path} is not there.`);
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
