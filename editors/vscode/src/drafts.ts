// What was written in the prompt and not yet said: kept while the page is hidden, and by the workspace while the window is away.

import type { Memento } from "vscode";

import type { Draft } from "./messages.ts";

type Kept = Omit<Draft, "images"> & Partial<Pick<Draft, "images">>;

const KEY = "draft";
const NOTHING: Draft = { text: "", images: [], attachments: [] };

export class Drafts {
  private draft: Draft;
  private isWriting = false;
  private isWritten = true;

  constructor(private readonly workspace: Pick<Memento, "get" | "update">) {
    this.draft = workspace.get(KEY, NOTHING);
  }

  get now(): Draft {
    return this.draft;
  }

  /** Takes the words out, as they are. */
  takeText(): string {
    const { text } = this.draft;
    void this.keep({ ...this.draft, text: "" });
    return text;
  }

  /** Puts in again, before what is there by now, what was taken out. */
  putBack({ text, images, attachments }: Draft): void {
    const { draft } = this;
    const words = [text, draft.text].filter(Boolean).join("\n");
    void this.keep({ text: words, images: [...images, ...draft.images], attachments: [...attachments, ...draft.attachments] });
  }

  /** Takes what the page says at each key, and writes as fast as the editor does: the last is never left out. */
  async keep({ text, attachments, images }: Kept): Promise<void> {
    this.draft = { text, attachments, images: images ?? this.draft.images };
    this.isWritten = false;
    if (this.isWriting) {
      return;
    }
    this.isWriting = true;
    try {
      while (!this.isWritten) {
        this.isWritten = true;
        await this.workspace.update(KEY, this.draft);
      }
    } finally {
      this.isWriting = false;
    }
  }
}
