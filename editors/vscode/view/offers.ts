// The list that `@` and `/` open over the prompt.

import type { Completion } from "../src/messages.ts";
import { h } from "./dom.ts";

export class Offers {
  readonly element = h("div", { id: "offers", class: "offers", role: "listbox", hidden: true });
  private items: readonly Completion[] = [];
  private chosen = 0;

  constructor(
    private readonly input: HTMLElement,
    private readonly take: (item: Completion) => void,
  ) {}

  show(items: readonly Completion[]): void {
    this.items = items;
    this.chosen = 0;
    this.render();
  }

  close(): void {
    if (this.items.length) {
      this.show([]);
    }
  }

  /** Whether the key was one of the list's. */
  key(name: string): boolean {
    const count = this.items.length;
    if (count === 0) {
      return false;
    }
    switch (name) {
      case "ArrowDown":
      case "ArrowUp":
        this.chosen = (this.chosen + (name === "ArrowDown" ? 1 : count - 1)) % count;
        this.render();
        return true;
      case "Enter":
      case "Tab":
        this.choose(this.chosen);
        return true;
      case "Escape":
        this.close();
        return true;
      default:
        return false;
    }
  }

  private choose(index: number): void {
    const item = this.items[index];
    if (item) {
      this.take(item);
    }
  }

  private render(): void {
    this.element.replaceChildren(...this.items.map((item, index) => this.offer(item, index)));
    this.element.hidden = this.items.length === 0;
    this.input.setAttribute("aria-expanded", String(this.items.length > 0));
    this.input.setAttribute("aria-activedescendant", this.items.length ? `offer-${this.chosen}` : "");
    this.element.children[this.chosen]?.scrollIntoView({ block: "nearest" });
  }

  private offer(item: Completion, index: number): HTMLElement {
    const clicked = (event: Event): void => {
      event.preventDefault();
      this.choose(index);
    };
    const attributes = { class: "offer", role: "option", id: `offer-${index}`, "aria-selected": String(index === this.chosen), on: { mousedown: clicked } };
    return h("div", attributes, h("span", {}, item.label), h("span", { class: "dim" }, h("bdi", {}, item.detail)));
  }
}
