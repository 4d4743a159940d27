// Markdown on the page: finished blocks are made once, the open one is made anew as it grows, or appended to where it is code.

import { type Block, BlockReader, type Item } from "./blocks.ts";
import { h } from "./dom.ts";
import { highlighted } from "./highlight.ts";
import { type Inline, inline } from "./inline.ts";
import { placeOf } from "./links.ts";

/** One text that may still grow. */
export class MarkdownView {
  readonly element = h("div", { class: "markdown" });
  private readonly reader = new BlockReader();
  private open: HTMLElement[] = [];

  append(text: string): void {
    const isCode = this.reader.isInFence;
    const done = this.reader.feed(text);
    const tail = isCode && done.length === 0 ? this.open[0]?.querySelector("code") : undefined;
    if (tail) {
      this.growCode(tail);
      return;
    }
    this.clearOpen();
    this.element.append(...done.map(blockElement));
    this.open = this.reader.open().map(blockElement);
    this.element.append(...this.open);
  }

  end(): void {
    this.clearOpen();
    this.element.append(...this.reader.end().map(blockElement));
  }

  private growCode(code: HTMLElement): void {
    const [block] = this.reader.open();
    const shown = code.textContent ?? "";
    if (block?.kind === "code" && block.text.startsWith(shown)) {
      code.append(block.text.slice(shown.length));
    }
  }

  private clearOpen(): void {
    for (const element of this.open) {
      element.remove();
    }
    this.open = [];
  }
}

export function markdown(text: string): HTMLElement {
  const view = new MarkdownView();
  view.append(text);
  view.end();
  return view.element;
}

/** A line of it, without blocks. */
export function markdownLine(text: string): Node[] {
  return inlineNodes(inline(text));
}

function blockElement(block: Block): HTMLElement {
  switch (block.kind) {
    case "paragraph":
      return h("p", {}, ...inlineNodes(inline(block.text)));
    case "heading":
      return h(`h${Math.min(block.level + 1, 6)}` as "h2", {}, ...inlineNodes(inline(block.text)));
    case "code":
      return codeBlock(block.language, block.text);
    case "list":
      return listElement(block.items);
    case "quote":
      return h("blockquote", {}, markdown(block.text));
    case "table":
      return tableElement(block.rows);
    case "rule":
      return h("hr");
  }
}

export function codeBlock(language: string, text: string): HTMLElement {
  const code = h("code", {});
  code.append(...highlighted(language, text));
  const copy = h("button", { type: "button", class: "copy", title: "Copy", label: "Copy this code", data: { copy: "" } }, "Copy");
  return h("div", { class: "code" }, h("pre", { tabindex: "0" }, code), copy);
}

function listElement(items: Item[]): HTMLElement {
  const root = h("div", { class: "list", role: "list" });
  for (const item of items) {
    const mark = item.task === undefined ? (item.number === undefined ? "•" : `${item.number}.`) : item.task ? "☑" : "☐";
    const body = h("span", {}, ...inlineNodes(inline(item.text)));
    root.append(h("div", { class: `item depth${item.depth}`, role: "listitem" }, h("span", { class: "mark" }, mark), body));
  }
  return root;
}

function tableElement(rows: string[][]): HTMLElement {
  const [head = [], ...body] = rows;
  const row = (cells: string[], tag: "th" | "td"): HTMLElement => h("tr", {}, ...cells.map((cell) => h(tag, {}, ...inlineNodes(inline(cell)))));
  return h("div", { class: "table" }, h("table", {}, h("thead", {}, row(head, "th")), h("tbody", {}, ...body.map((cells) => row(cells, "td")))));
}

function inlineNodes(pieces: Inline[]): Node[] {
  return pieces.map((piece) => {
    switch (piece.kind) {
      case "text":
        return document.createTextNode(piece.text);
      case "code":
        return h("code", {}, piece.text);
      case "link":
        return linkElement(piece.href, inlineNodes(piece.children));
      default:
        return h(piece.kind, {}, ...inlineNodes(piece.children));
    }
  });
}

/** Links to the web are the editor's to open, after it asked; paths open files; anything else is only text. */
function linkElement(href: string, children: Node[]): HTMLElement {
  if (/^https?:\/\//i.test(href)) {
    return h("a", { href, title: href }, ...children);
  }
  const place = placeOf(href);
  return place ? h("a", { href: "#", title: href, data: { open: place.path, line: String(place.line ?? "") } }, ...children) : h("span", { title: href }, ...children);
}
