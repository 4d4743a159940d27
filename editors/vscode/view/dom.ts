// Making elements. Text is always text here: nothing of a model's is ever parsed as HTML.

type Child = Node | string | undefined | false | null;

interface Attributes {
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
