// One item in the status bar: what the agent does, and whether it waits for the user.

import * as vscode from "vscode";

import type { ServerState } from "./messages.ts";
import type { Status } from "./protocol.ts";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("agentLsp.status", vscode.StatusBarAlignment.Left, 0);

  constructor() {
    this.item.name = "Agent";
    this.item.command = "agentLsp.focus";
    this.show("starting", undefined);
    this.item.show();
  }

  show(server: ServerState, status: Status | undefined): void {
    const { text, tooltip, waits } = face(server, status);
    if (text === this.item.text && tooltip === this.item.tooltip) {
      return;
    }
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor = waits ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.accessibilityInformation = { label: tooltip };
  }

  dispose(): void {
    this.item.dispose();
  }
}

interface Face {
  text: string;
  tooltip: string;
  waits: boolean;
}

export function face(server: ServerState, status: Status | undefined): Face {
  if (server === "missing") {
    return { text: "$(warning) agent", tooltip: "The agent's server is not installed", waits: false };
  }
  if (server === "stopped") {
    return { text: "$(debug-disconnect) agent", tooltip: "The agent's server does not run", waits: false };
  }
  if (server === "starting" || !status) {
    return { text: "$(comment-discussion) agent", tooltip: "Agent: no task", waits: false };
  }
  switch (status.state) {
    case "waiting_for_input":
      return { text: "$(bell-dot) agent: your answer", tooltip: `Agent: waits for your answer. ${status.title}`, waits: true };
    case "running":
    case "streaming": {
      // A task that waits for its service has nothing of its own to do, and is not done.
      const activity = status.activity === "Idle" ? "Waiting" : status.activity;
      return { text: `$(sync~spin) agent: ${activity}`, tooltip: `Agent: ${activity}. ${status.title}`, waits: false };
    }
    case "resumable":
      return { text: "$(debug-pause) agent: stopped", tooltip: `Agent: can be resumed. ${status.title}`, waits: false };
    default:
      return { text: "$(comment-discussion) agent", tooltip: `Agent: at rest. ${status.title}`, waits: false };
  }
}
