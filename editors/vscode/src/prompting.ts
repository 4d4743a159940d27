// What goes into the prompt of the view and comes out of it: words that are sent, and words that come back to be changed.

import * as vscode from "vscode";

import type { Agent } from "./agent.ts";
import { pickRestore } from "./checkpoints.ts";
import type { Drafts } from "./drafts.ts";
import type { Attachment, Draft } from "./messages.ts";
import { asPlace, here } from "./places.ts";
import type { YesOrNo } from "./task.ts";
import { TaskView } from "./view.ts";

export class Prompting {
  constructor(
    private readonly agent: Agent,
    private readonly view: TaskView,
    private readonly drafts: Drafts,
  ) {}

  /** Puts the user into the prompt, with this in it. */
  async compose(text: string, attachments: readonly Attachment[]): Promise<void> {
    await vscode.commands.executeCommand(`${TaskView.id}.focus`);
    this.put({ text, attachments, images: [] }, true);
  }

  async askForWords(why: string): Promise<void> {
    await this.compose("", []);
    this.view.send({ type: "notice", text: why });
  }

  /** A task of its own about what is selected. */
  async aboutSelection(text: string): Promise<void> {
    const places = here();
    if (places.length === 0) {
      void vscode.window.showInformationMessage("Open a file first, and put the cursor where you mean.");
      return;
    }
    await vscode.commands.executeCommand(`${TaskView.id}.focus`);
    if (this.agent.task.status?.state === "idle") {
      await this.agent.clear();
    }
    await this.agent.newTask(text, [], places);
  }

  /** Words that the server does not take come back into the prompt. */
  async say({ text, images, attachments }: Draft): Promise<void> {
    await this.unlessTaken({ text, images, attachments }, async () => {
      await this.agent.send(text, images, attachments.map(asPlace));
      return true;
    });
  }

  /** A yes or a no, with words; where it comes too late, they come back into the prompt. */
  async answer(ts: number, response: YesOrNo, text: string): Promise<void> {
    await this.unlessTaken({ text, images: [], attachments: [] }, () => this.agent.answer(ts, response, text));
  }

  /** A yes or a no by a key: it takes along the words of a prompt that is seen, as the buttons of the card do. */
  async answerByKey(ts: number, response: YesOrNo): Promise<void> {
    const text = this.view.isHeard ? this.drafts.takeText() : "";
    this.view.send({ type: "taken", text });
    await this.answer(ts, response, text.trim());
  }

  private async unlessTaken(words: Draft, hand: () => Promise<boolean>): Promise<void> {
    let isTaken = false;
    try {
      isTaken = await hand();
    } finally {
      if (!isTaken) {
        this.put(words, false);
      }
    }
  }

  /** A page that is not there finds it when it comes. */
  private put(words: Draft, takesFocus: boolean): void {
    if (this.view.isHeard) {
      this.view.send({ ...words, type: "compose", takesFocus });
    } else {
      this.drafts.putBack(words);
    }
  }

  /** Back to before a message; words that are hidden by that come back into the prompt, to be said otherwise. */
  async goBack(ts: number, what?: "conversation"): Promise<void> {
    const rewind = await pickRestore(this.agent, ts, what);
    if (rewind?.text) {
      this.put({ text: rewind.text, images: rewind.images ?? [], attachments: [] }, true);
    }
  }

  /** Takes words out of the queue; to be changed, they come back into the prompt. */
  async unqueue(op: "edit" | "remove", messageId: string): Promise<void> {
    const words = await this.agent.unqueue(messageId);
    if (op === "edit" && words) {
      this.put({ text: words.text, images: words.images ?? [], attachments: [] }, true);
    }
  }
}
