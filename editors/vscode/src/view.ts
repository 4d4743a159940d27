// The view in the side bar: a page that renders, and the wire to it. What it asks for is done by whoever listens.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

import type { FromView, ToView } from "./messages.ts";

export class TaskView implements vscode.WebviewViewProvider {
  static readonly id = "agentLsp.task";
  private view: vscode.WebviewView | undefined;
  private isLoaded = false;
  private unheard: ToView | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly receive: (message: FromView) => void,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.isLoaded = false;
    view.webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(this.extension, "dist")] };
    view.webview.html = this.page(view.webview);
    view.webview.onDidReceiveMessage((message: FromView) => {
      this.isLoaded ||= message.type === "ready";
      this.receive(message);
      const { unheard } = this;
      this.unheard = undefined;
      if (unheard) {
        this.send(unheard);
      }
    });
    // The page of a view that is hidden is thrown away.
    view.onDidChangeVisibility(() => (this.isLoaded &&= view.visible));
    view.onDidDispose(() => {
      // Where it is dragged elsewhere, the next one may be there before the last one goes.
      if (this.view === view) {
        this.view = undefined;
      }
    });
  }

  /** Sends to the page if there is one. A page that comes later starts from a snapshot, and is told the last notice: the editor would
   * keep for it all that was ever sent. */
  send(message: ToView): void {
    if (this.isHeard) {
      void this.view?.webview.postMessage(message);
    } else if (message.type === "notice") {
      this.unheard = message;
    }
  }

  get isVisible(): boolean {
    return this.view?.visible ?? false;
  }

  /** Whether there is a page that hears what is sent. */
  get isHeard(): boolean {
    return this.isVisible && this.isLoaded;
  }

  /** A number on the view's icon: that something waits, without taking the focus. */
  badge(count: number, tooltip: string): void {
    if (this.view && (this.view.badge?.value ?? 0) !== count) {
      this.view.badge = count ? { value: count, tooltip } : undefined;
    }
  }

  title(text: string): void {
    if (this.view && this.view.description !== text) {
      this.view.description = text;
    }
  }

  private page(webview: vscode.Webview): string {
    const nonce = randomBytes(16).toString("base64");
    const asset = (name: string): vscode.Uri => webview.asWebviewUri(vscode.Uri.joinPath(this.extension, "dist", name));
    // Pictures only as data: nothing that a model writes can make this page fetch.
    const policy = `default-src 'none'; img-src data:; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <link rel="stylesheet" href="${asset("style.css")}">
  <title>Agent</title>
</head>
<body>
  <div id="app"></div>
  <script nonce="${nonce}" src="${asset("view.js")}"></script>
</body>
</html>`;
  }
}
