// Tells the server what the user has before them, a moment after it changed.

import * as vscode from "vscode";

import type { EditorContextParams, Range } from "./protocol.ts";
import type { Server } from "./server.ts";
import { UserTerminals } from "./userTerminals.ts";

const DELAY_MS = 200;

export class EditorContext implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly terminals: UserTerminals;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    const soon = (): void => this.soon();
    this.terminals = new UserTerminals(soon);
    this.subscriptions = [
      this.terminals,
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeVisibleTextEditors(soon),
      vscode.window.onDidChangeTextEditorSelection(soon),
      vscode.window.tabGroups.onDidChangeTabs(soon),
      server.onStateChanged((state) => state === "ready" && soon()),
    ];
  }

  /** Before a task starts or hears words, it is told what is true now. */
  now(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.server.notify("agent/editorContext", { ...snapshot(), terminals: this.terminals.list() });
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private soon(): void {
    this.timer ??= setTimeout(() => this.now(), DELAY_MS);
  }
}

function snapshot(): EditorContextParams {
  const active = vscode.window.activeTextEditor;
  const visible = vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.scheme === "file");
  return {
    visible: visible.map((editor) => ({ uri: editor.document.uri.toString(), ranges: editor.visibleRanges.map(wireRange) })),
    ...(active?.document.uri.scheme === "file" && {
      active: { uri: active.document.uri.toString(), selection: wireRange(active.selection) },
    }),
    openTabs: vscode.window.tabGroups.all.flatMap((group) => group.tabs.flatMap(tabUri)),
  };
}

function tabUri(tab: vscode.Tab): string[] {
  const isFile = tab.input instanceof vscode.TabInputText && tab.input.uri.scheme === "file";
  return isFile ? [tab.input.uri.toString()] : [];
}

export function wireRange(range: vscode.Range): Range {
  const { start, end } = range;
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}
