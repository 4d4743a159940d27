// Words that wait for the agent, each to be taken back into the prompt or thrown away.

import type { QueuedWords } from "../src/protocol.ts";
import { h, iconButton } from "./dom.ts";
import { icon } from "./icons.ts";
import type { PageState } from "./state.ts";

const NONE: readonly QueuedWords[] = [];

export class Queue {
  readonly element = h("div", { class: "queue", role: "list", label: "Words that wait", hidden: true });

  private shown = NONE;

  constructor(private readonly state: PageState) {}

  update(): void {
    const words = this.state.status?.queue ? this.state.queue : NONE;
    if (words === this.shown) {
      return;
    }
    // Only when they change: a button made anew under the pointer loses its click.
    this.shown = words;
    this.element.hidden = words.length === 0;
    this.element.replaceChildren(
      ...words.map(({ messageId, text, images }) => {
        const act = (op: "edit" | "remove") => () => this.state.send({ type: "queue", op, messageId });
        return h(
          "div",
          { class: "queued", role: "listitem", title: "It is said to the agent when it rests" },
          icon("clock"),
          h("span", {}, text || `${images?.length ?? 0} pictures`),
          iconButton("edit", "Change these words", act("edit")),
          iconButton("cross", "Remove these words", act("remove")),
        );
      }),
    );
  }
}
