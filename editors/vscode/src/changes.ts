// A proposed change in the editor: as a native diff, as lenses over the lines it would change, and hunk by hunk.

import * as vscode from "vscode";

import { hunkAt, linesOf, type Side } from "./hunks.ts";
import type { Change, Hunk, Message } from "./protocol.ts";
import type { HunkDecision, Task } from "./task.ts";
import { changesOf } from "./toolAsk.ts";

export const PREVIEW = "agent-preview";
const NOTHING = vscode.Uri.parse("agent-nothing:/");

/** The side of a diff where there is no file. */
export const nothing: vscode.TextDocumentContentProvider = { provideTextDocumentContent: () => "" };

/** Opens the native diff of one change. A new file has nothing to be compared with: it is shown as it would be. */
export async function showDiff(change: Change): Promise<void> {
  const preview = vscode.Uri.parse(change.previewUri);
  if (change.kind === "create") {
    await vscode.commands.executeCommand("vscode.open", preview, { preview: true }, `${change.path} (new)`);
    return;
  }
  const after = change.kind === "delete" ? NOTHING : preview;
  const title = `${change.path} (${change.kind === "edit" ? "proposed" : change.kind})`;
  await vscode.commands.executeCommand("vscode.diff", vscode.Uri.parse(change.uri), after, title, { preview: true });
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

function isPreview({ input }: vscode.Tab): boolean {
  if (input instanceof vscode.TabInputText) {
    return input.uri.scheme === PREVIEW;
  }
  return input instanceof vscode.TabInputTextDiff && [PREVIEW, NOTHING.scheme].includes(input.modified.scheme);
}

/** Whether a document would be changed by this, or shows what it would be. */
export function isOf(change: Change, document: vscode.Uri): boolean {
  const wanted = document.toString();
  return [change.uri, change.previewUri].some((uri) => vscode.Uri.parse(uri).toString() === wanted);
}

function changeFor(waiting: Message | undefined, document: vscode.Uri): Change | undefined {
  return changesOf(waiting).find((change) => isOf(change, document));
}

/** The hunk of the waiting change that a line of a document shows or would be changed by. */
export function hunkIn(waiting: Message | undefined, document: vscode.Uri, line: number): Hunk | undefined {
  const change = changeFor(waiting, document);
  return change && hunkAt(change.hunks, line, sideOf(document));
}

function sideOf(document: vscode.Uri): Side {
  return document.scheme === PREVIEW ? "after" : "before";
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
    const line = Math.min(linesOf(hunk, sideOf(document.uri)).first, document.lineCount - 1);
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
