// A command's output in a terminal of the editor, as it comes. Ctrl+C there ends the command.

import * as vscode from "vscode";

import type { Message } from "./protocol.ts";

const CTRL_C = "\u0003";

class OutputTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.written.event;
  private shown = 0;
  private isOpen = false;

  constructor(
    private text: string,
    private readonly abort: () => void,
  ) {}

  open(): void {
    this.isOpen = true;
    this.catchUp();
  }

  close(): void {
    this.isOpen = false;
  }

  handleInput(keys: string): void {
    if (keys === CTRL_C) {
      this.abort();
    }
  }

  become(text: string): void {
    // A text that no longer begins as it did was shortened on the server: what is on the screen stays.
    this.shown = text.startsWith(this.text.slice(0, this.shown)) ? this.shown : 0;
    this.text = text;
    this.catchUp();
  }

  private catchUp(): void {
    if (this.isOpen && this.text.length > this.shown) {
      this.written.fire(this.text.slice(this.shown).replace(/\r?\n/g, "\r\n"));
      this.shown = this.text.length;
    }
  }
}

export class Terminals implements vscode.Disposable {
  private readonly open = new Map<number, { terminal: vscode.Terminal; output: OutputTerminal }>();
  private readonly closing: vscode.Disposable;

  constructor() {
    this.closing = vscode.window.onDidCloseTerminal((closed) => {
      for (const [ts, { terminal }] of this.open) {
        if (terminal === closed) {
          this.open.delete(ts);
        }
      }
    });
  }

  /** Shows the output of one command; the user asked for it, so it comes to the front. */
  show(message: Message, abort: () => void): void {
    let entry = this.open.get(message.ts);
    if (!entry) {
      const output = new OutputTerminal(message.text ?? "", abort);
      entry = { output, terminal: vscode.window.createTerminal({ name: "Agent's command", pty: output, iconPath: new vscode.ThemeIcon("comment-discussion") }) };
      this.open.set(message.ts, entry);
    }
    entry.terminal.show(true);
  }

  grow(message: Message | undefined): void {
    if (message) {
      this.open.get(message.ts)?.output.become(message.text ?? "");
    }
  }

  dispose(): void {
    this.closing.dispose();
    for (const { terminal } of this.open.values()) {
      terminal.dispose();
    }
  }
}
