// What holds for what is said: mode, model and permissions, each a button that opens the editor's own list.

import { h } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";
import type { PageState } from "./state.ts";

type What = "mode" | "profile" | "permissions";

const PERMISSIONS: Record<string, string> = { plan: "Plan", default: "Ask", acceptEdits: "Edit", bypassPermissions: "All" };

export class Choices {
  readonly element = h("div", { class: "choices" });
  private shown = "";

  constructor(private readonly state: PageState) {}

  update(): void {
    const { status, home } = this.state;
    const mode = status?.mode ?? home.mode;
    const model = status ? status.model || status.profile : home.model;
    const permissions = status?.permissionMode ?? home.permissionMode;
    const shown = JSON.stringify([mode, model, permissions]);
    if (shown === this.shown) {
      return;
    }
    // Only when they change: a button made anew under the pointer loses its click.
    this.shown = shown;
    this.element.replaceChildren(
      this.choice("mode", "mode", mode || "code", "How the agent works"),
      this.choice("profile", undefined, model || "No model yet", "Which model answers"),
      this.choice("permissions", "shield", PERMISSIONS[permissions ?? "default"] ?? permissions ?? "", `What runs unasked: ${permissions ?? "default"}`),
    );
  }

  private choice(what: What, name: IconName | undefined, text: string, title: string): HTMLElement {
    const clicked = (): void => this.state.send({ type: "pick", what });
    return h("button", { type: "button", class: `pick p-${what}`, title: `${title}: ${text}`, on: { click: clicked } }, name && icon(name), h("span", {}, text), icon("down"));
  }
}
