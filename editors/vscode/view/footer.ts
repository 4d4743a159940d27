// Below the prompt: how full the context is, and what the task has cost so far.

import type { Status } from "../src/protocol.ts";
import { button, h } from "./dom.ts";
import { short } from "./rowText.ts";
import type { PageState } from "./state.ts";

export class Footer {
  readonly element = h("div", { class: "footer", hidden: true });
  private shown = "";

  constructor(private readonly state: PageState) {}

  update(): void {
    const { status } = this.state;
    const shown = status ? JSON.stringify([status.usage, status.context]) : "";
    if (shown === this.shown) {
      return;
    }
    this.shown = shown;
    const isEmpty = !status || (status.usage.tokensIn === 0 && status.context.tokens === 0);
    this.element.hidden = isEmpty;
    this.element.replaceChildren(...(isEmpty ? [] : this.parts(status)));
  }

  private parts({ usage, context }: Status): HTMLElement[] {
    const cached = usage.cacheReads ? ` (${short(usage.cacheReads)} from the cache)` : "";
    const tokens = `${short(usage.tokensIn)} tokens in${cached}, ${short(usage.tokensOut)} out`;
    const cost = usage.cost === null ? "" : ` · $${usage.cost.toFixed(2)}`;
    const title = `${tokens}${usage.cost === null ? ", at a price that is not known" : `, $${usage.cost.toFixed(4)}`}`;
    return [...(context.window ? [this.context(context)] : []), h("span", { class: "usage", title }, `${short(usage.tokensIn + usage.tokensOut)} tokens${cost}`)];
  }

  /** How full the context is; pressed, it is condensed, where the server can do that. */
  private context({ percent, tokens, window }: Status["context"]): HTMLElement {
    const full = `${short(tokens)} of ${short(window)} tokens of context`;
    const meter = h("meter", { min: "0", max: "100", low: "70", high: "90", optimum: "10", value: String(percent), label: "Context used" });
    const words = `${Math.round(percent)} % context`;
    if (!this.state.methods.includes("agent/condense")) {
      return h("span", { class: "context", title: full }, meter, h("span", {}, words));
    }
    const made = button("", () => this.state.send({ type: "command", command: "condense" }), { class: "context quiet", title: `${full}. Press to condense it.`, label: `${words}. Condense it` });
    made.append(meter, h("span", {}, words));
    return made;
  }
}
