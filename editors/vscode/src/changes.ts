// A proposed change in the editor: as a native diff, as lenses over the lines it would change, and hunk by hunk.

import * as vscode from "vscode";

import type { Change, Hunk, Message } from "./protocol.ts";
import type { HunkDecision, Task } from "./task.ts";
import { changesOf } from "./toolAsk.ts";

export const PREVIEW = "agent-preview";
const NOTHING = vscode.Uri.parse("agent-nothing:/");

/** The side of a diff where there is no file. */
export const nothing: vscode.TextDocumentContentProvider = { provideTextDocumentContent: () => "" };

/** Opens the native diff of one change, without taking the focus from where the user types. */
export async function showDiff(change: Change, preserveFocus: boolean): Promise<void> {
  const file = vscode.Uri.parse(change.uri);
  const before = change.kind === "create" ? NOTHING : file;
  const after = change.kind === "delete" ? NOTHING : vscode.Uri.parse(change.previewUri);
  const title = `${change.path} (${change.kind === "edit" ? "proposed" : change.kind})`;
  await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: true, preserveFocus });
}

/** Closes the diffs of changes that are decided. A file that was open in one of them alone is no longer open then: an edit of it is
 * saved, as one of any file that nobody has open. */
export async function closePreviews(): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const files = new Set(tabs.flatMap((tab) => (tab.input instanceof vscode.TabInputText ? [tab.input.uri.toString()] : [])));
  const isOnlyHere = (tab: vscode.Tab): boolean => !files.has(originalOf(tab));
  const previews = tabs.filter(isPreview);
  // One that holds the only view of unsaved text stays: the editor would ask whether to save it.
  const closing = previews.filter((tab) => !isOnlyHere(tab) || !documentOf(tab)?.isDirty);
  const gone = closing.filter(isOnlyHere).map(documentOf).filter((document) => document !== undefined);
  if (closing.length) {
    await vscode.window.tabGroups.close(closing, true);
    await Promise.all(gone.map(closed));
  }
}

function originalOf(tab: vscode.Tab): string {
  return tab.input instanceof vscode.TabInputTextDiff ? tab.input.original.toString() : "";
}

function documentOf(tab: vscode.Tab): vscode.TextDocument | undefined {
  const uri = originalOf(tab);
  return vscode.workspace.textDocuments.find((document) => document.uri.scheme === "file" && document.uri.toString() === uri);
}

const CLOSED_MS = 300;

/** Waits until a document is closed, which another extension may put off. */
function closed(document: vscode.TextDocument): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(limit);
      watching.dispose();
      resolve();
    };
    const limit = setTimeout(finish, CLOSED_MS);
    const watching = vscode.workspace.onDidCloseTextDocument((one) => one === document && finish());
    if (document.isClosed) {
      finish();
    }
  });
}

function isPreview(tab: vscode.Tab): boolean {
  return tab.input instanceof vscode.TabInputTextDiff && (tab.input.modified.scheme === PREVIEW || tab.input.original.scheme === NOTHING.scheme);
}

/** The waiting change that a document shows or would be changed by. */
export function changeFor(waiting: Message | undefined, document: vscode.Uri): Change | undefined {
  const wanted = document.toString();
  return changesOf(waiting).find((change) =>
    [change.uri, change.previewUri].some((uri) => vscode.Uri.parse(uri).toString() === wanted),
  );
}

/** The hunk at or nearest above a line of the text as it is. */
export function hunkAt(change: Change, line: number): Hunk | undefined {
  return change.hunks.findLast((hunk) => hunk.startLine - 1 <= line) ?? change.hunks[0];
}

/** Accept, reject and look, above each hunk of a change that waits. */
export class HunkLenses implements vscode.CodeLensProvider {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly task: Task) {}

  refresh(): void {
    this.changed.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const waiting = this.task.waiting;
    const change = changeFor(waiting, document.uri);
    if (!waiting || !change) {
      return [];
    }
    const decided = this.task.decisions(waiting.ts);
    return change.hunks.flatMap((hunk) => this.lensesOf(document, waiting.ts, hunk, decided[hunk.id]));
  }

  private lensesOf(document: vscode.TextDocument, ts: number, hunk: Hunk, decision: HunkDecision | undefined): vscode.CodeLens[] {
    const line = Math.min(Math.max(hunk.startLine - 1, 0), document.lineCount - 1);
    const range = new vscode.Range(line, 0, line, 0);
    const lens = (title: string, command: string, ...args: unknown[]): vscode.CodeLens =>
      new vscode.CodeLens(range, { title, command, arguments: args });
    const mark = (wanted: HunkDecision, title: string): string => (decision === wanted ? `$(pass-filled) ${title}` : title);
    return [
      lens(mark("accept", "Accept hunk"), "agentLsp.acceptHunk", ts, hunk.id),
      lens(mark("reject", "Reject hunk"), "agentLsp.rejectHunk", ts, hunk.id),
      lens("Approve all", "agentLsp.approve"),
      ...(document.uri.scheme === PREVIEW ? [] : [lens("Diff", "agentLsp.showDiff")]),
    ];
  }
}
