// Making elements. Text is always text here: nothing of a model's is ever parsed as HTML.

import { icon, type IconName } from "./icons.ts";

export type Child = Node | string | undefined | false | null;

export interface Attributes {
  class?: string;
  title?: string;
  label?: string;
  role?: string;
  on?: Partial<Record<keyof HTMLElementEventMap, (event: Event) => void>>;
  data?: Record<string, string>;
  [name: string]: unknown;
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  const { on, data, label, ...rest } = attributes;
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  if (label !== undefined) {
    element.setAttribute("aria-label", label);
  }
  for (const [name, listener] of Object.entries(on ?? {})) {
    element.addEventListener(name, listener as EventListener);
  }
  Object.assign(element.dataset, data);
  element.append(...children.filter((child): child is Node | string => typeof child === "string" || child instanceof Node));
  return element;
}

export function button(text: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", ...attributes, on: { click: () => click() } }, text);
}

/** A button that is only a picture: its label is what it is called, and its tooltip. */
export function iconButton(name: IconName, label: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const { class: classes = "", ...rest } = attributes;
  const made = h("button", { type: "button", title: label, label, class: `icon-button ${classes}`.trim(), ...rest, on: { click: () => click() } });
  made.append(icon(name));
  return made;
}

/** Something to unfold, which remembers what the reader made of it; `fill` makes what is inside once that is seen. */
export function fold(summary: readonly Child[], isOpen: boolean, toggle: () => void, fill: () => readonly Node[]): HTMLDetailsElement {
  // A link in it opens a file and unfolds nothing.
  const clicked = (event: Event): void => void (event.target instanceof Element && !event.target.closest("[data-open]") && toggle());
  const head = h("summary", { on: { click: clicked } }, ...summary);
  const details = h("details", { open: isOpen }, head);
  const filled = (): void => {
    if (details.open && details.childElementCount === 1) {
      details.append(...fill());
    }
  };
  details.addEventListener("toggle", filled);
  filled();
  return details;
}
