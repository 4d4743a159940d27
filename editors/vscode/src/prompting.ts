// What goes into the prompt of the view and comes out of it: words that are sent, and words that come back to be changed.

import * as vscode from "vscode";

import type { Agent } from "./agent.ts";
import { pickRestore } from "./checkpoints.ts";
import type { Attachment, FromView } from "./messages.ts";
import { asPlace, here } from "./places.ts";
import type { TaskView } from "./view.ts";

export class Prompting {
  constructor(
    private readonly agent: Agent,
    private readonly view: TaskView,
  ) {}

  /** Puts the user into the prompt, with this in it. */
  async compose(text: string, attachments: readonly Attachment[]): Promise<void> {
    await vscode.commands.executeCommand("agentLsp.focus");
    this.view.send({ type: "compose", text, attachments });
  }

  async askForWords(why: string): Promise<void> {
    await this.compose("", []);
    this.view.send({ type: "notice", text: why });
  }

  /** A task of its own about what is selected. */
  async aboutSelection(text: string): Promise<void> {
    const places = here();
    await vscode.commands.executeCommand("agentLsp.focus");
    if (this.agent.task.status?.state === "idle") {
      await this.agent.clear();
    }
    await this.agent.newTask(text, [], places);
  }

  /** Words that the server does not take come back into the prompt. */
  async say(words: Extract<FromView, { type: "send" }>): Promise<void> {
    try {
      await this.agent.send(words.text, words.images, words.attachments.map(asPlace));
    } catch (error) {
      this.view.send({ ...words, type: "compose" });
      throw error;
    }
  }

  /** Back to before a message; words that are hidden by that come back into the prompt, to be said otherwise. */
  async goBack(ts: number, what?: "conversation"): Promise<void> {
    const rewind = await pickRestore(this.agent, ts, what);
    if (rewind?.text) {
      this.view.send({ type: "compose", text: rewind.text, attachments: [], ...(rewind.images && { images: rewind.images }) });
    }
  }

  /** Takes words out of the queue; to be changed, they come back into the prompt. */
  async unqueue(op: "edit" | "remove", messageId: string): Promise<void> {
    const words = await this.agent.unqueue(messageId);
    if (op === "edit" && words) {
      this.view.send({ type: "compose", text: words.text, attachments: [], images: words.images ?? [] });
    }
  }
}
