// Answers given in the editor: yes and no by key, hunks by lens, menu or cursor, and the diff that they are about.

import * as vscode from "vscode";

import type { Agent } from "./agent.ts";
import { hunkIn, isOf, showDiff } from "./changes.ts";
import type { Prompting } from "./prompting.ts";
import type { WaitingAsk } from "./protocol.ts";
import type { HunkDecision, YesOrNo } from "./task.ts";
import { changesOf } from "./toolAsk.ts";

const SHOWN_MS = 4000;

/** Whether an ask can be answered so; what it takes beside words, it offers. */
export function takes(ask: WaitingAsk | null | undefined, response: YesOrNo): boolean {
  return ask?.actions.some((action) => action.response === response) ?? false;
}

export class Answering {
  constructor(
    private readonly agent: Agent,
    private readonly prompting: Prompting,
  ) {}

  /** A yes or no to whatever waits; what wants words gets none of either. */
  async yesOrNo(response: YesOrNo): Promise<void> {
    const ask = this.agent.task.status?.ask;
    if (ask && takes(ask, response)) {
      await this.prompting.answerByKey(ask.ts, response);
    } else if (ask) {
      await this.prompting.askForWords("That wants more than a yes or no: choose an answer, or write one.");
    }
  }

  /** Accepts or rejects a hunk: this one, or the one under the cursor. */
  async decide(decision: HunkDecision, ts?: number, hunk?: string): Promise<void> {
    const { waiting } = this.agent.task;
    const editor = vscode.window.activeTextEditor;
    const id = hunk ?? (editor && hunkIn(waiting, editor.document.uri, editor.selection.active.line)?.id);
    if (waiting && id !== undefined) {
      await this.agent.decide(ts ?? waiting.ts, id, decision);
    } else {
      vscode.window.setStatusBarMessage("Agent: no change under the cursor", SHOWN_MS);
    }
  }

  /** The diff of one file: of this one, or the one before the user, or the first that would change. */
  async diff(ts = this.agent.task.waiting?.ts, path?: string): Promise<void> {
    const changes = ts === undefined ? [] : changesOf(this.agent.task.message(ts));
    const here = vscode.window.activeTextEditor?.document.uri;
    const change = changes.find((one) => (path === undefined ? here && isOf(one, here) : one.path === path)) ?? changes[0];
    if (change) {
      await showDiff(change);
    }
  }
}
