// The rows that are on the screen, of a list that may have thousands. It stays at its end while the reader is there, and what they
// look at does not move when something above it changes its height.

import { h } from "./dom.ts";
import { Heights } from "./heights.ts";

export interface Row {
  readonly ts: number;
  readonly element: HTMLElement;
  /** What a row no longer needs once it is off the page. */
  dispose?(): void;
}

const GUESS = 72;
const MARGIN = 600;
const NEAR_END = 48;

export class RowList {
  readonly element = h("div", { class: "rows", role: "feed", label: "Messages of the task", tabindex: "0" });
  private readonly above = h("div", { class: "spacer" });
  private readonly below = h("div", { class: "spacer" });
  private readonly heights = new Heights(GUESS);
  private readonly observer = new ResizeObserver((entries) => this.resized(entries));
  private order: number[] = [];
  private shown = new Map<number, Row>();
  private isAtEnd = true;
  private lastTop = 0;
  private frame = 0;

  constructor(
    private readonly make: (ts: number) => Row,
    private readonly reachedTop: () => void,
  ) {
    this.element.append(this.above, this.below);
    this.element.addEventListener("scroll", () => this.scrolled());
    new ResizeObserver(() => {
      this.follow();
      this.soon();
    }).observe(this.element);
  }

  reset(order: readonly number[]): void {
    const kept = this.order.at(-1) === order.at(-1) && order.length > this.order.length ? order.length - this.order.length : 0;
    for (const ts of [...this.shown.keys()]) {
      this.hide(ts);
    }
    if (kept > 0) {
      // Older rows came in above: what is looked at stays where it is.
      this.heights.insert(0, kept);
      this.element.scrollTop += kept * GUESS;
    } else {
      this.heights.resize(0);
      this.heights.resize(order.length);
      this.isAtEnd = true;
      this.lastTop = 0;
    }
    this.order = [...order];
    this.render();
  }

  add(ts: number): void {
    this.order.push(ts);
    this.heights.resize(this.order.length);
    this.soon();
  }

  remove(ts: number): void {
    const index = this.order.indexOf(ts);
    if (index >= 0) {
      this.hide(ts);
      this.order.splice(index, 1);
      this.heights.remove(index);
      this.soon();
    }
  }

  has(ts: number): boolean {
    return this.order.at(-1) === ts || this.order.includes(ts);
  }

  row(ts: number): Row | undefined {
    return this.shown.get(ts);
  }

  /** Makes a row anew, if it is on the page. */
  refresh(ts: number): void {
    const row = this.shown.get(ts);
    if (row) {
      const focused = row.element.contains(document.activeElement) ? document.activeElement : null;
      const next = this.make(ts);
      this.observer.unobserve(row.element);
      row.dispose?.();
      row.element.replaceWith(next.element);
      this.shown.set(ts, next);
      this.observe(next);
      this.follow();
      if (focused) {
        sameIn(next.element, focused).focus({ preventScroll: true });
      }
    }
  }

  toEnd(): void {
    this.isAtEnd = true;
    this.soon();
  }

  /** Moves the focus from row to row; the keys of a list. */
  moveFocus(step: number): void {
    const rows = [...this.element.querySelectorAll<HTMLElement>(":scope > .row")];
    const current = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[current < 0 ? rows.length - 1 : Math.min(Math.max(current + step, 0), rows.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  private scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    const isNearEnd = scrollHeight - scrollTop - clientHeight < NEAR_END;
    // Only who scrolls up leaves the end: rows may have grown since this event was caused by going there.
    this.isAtEnd = isNearEnd || (this.isAtEnd && scrollTop >= this.lastTop);
    this.lastTop = scrollTop;
    if (scrollTop < MARGIN) {
      this.reachedTop();
    }
    this.soon();
  }

  private soon(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.render();
    });
  }

  private render(): void {
    const height = this.element.clientHeight;
    const top = this.isAtEnd ? Math.max(this.heights.total - height, 0) : this.element.scrollTop;
    const { first, last } = this.heights.between(top, top + height, MARGIN);
    const wanted = new Set(this.order.slice(first, last));
    for (const [ts, row] of this.shown) {
      // What has the focus stays on the page, or the keyboard would lose its place.
      if (!wanted.has(ts) && !row.element.contains(document.activeElement)) {
        this.hide(ts);
      }
    }
    let at: Element = this.above;
    for (const ts of this.order.slice(first, last)) {
      const row = this.shown.get(ts) ?? this.show(ts);
      if (at.nextElementSibling !== row.element) {
        at.after(row.element);
      }
      at = row.element;
    }
    this.above.style.height = `${this.heights.before(first)}px`;
    this.below.style.height = `${Math.max(this.heights.total - this.heights.before(last), 0)}px`;
    this.follow();
  }

  /** Stays at the end, if the reader is there. At once: rows that became shorter have moved them up already, and that would be taken
   * for their own doing once rows became longer again. */
  private follow(): void {
    if (this.isAtEnd) {
      this.element.scrollTop = this.element.scrollHeight;
      this.lastTop = this.element.scrollTop;
    }
  }

  private show(ts: number): Row {
    const row = this.make(ts);
    this.shown.set(ts, row);
    this.observe(row);
    return row;
  }

  private observe(row: Row): void {
    row.element.dataset["ts"] = String(row.ts);
    this.observer.observe(row.element);
  }

  private hide(ts: number): void {
    const row = this.shown.get(ts);
    if (row) {
      this.observer.unobserve(row.element);
      row.dispose?.();
      row.element.remove();
      this.shown.delete(ts);
    }
  }

  private resized(entries: readonly ResizeObserverEntry[]): void {
    let moved = 0;
    for (const { target, borderBoxSize } of entries) {
      const element = target as HTMLElement;
      const index = this.order.indexOf(Number(element.dataset["ts"]));
      const height = borderBoxSize[0]?.blockSize ?? 0;
      if (index >= 0 && height > 0) {
        const difference = this.heights.measure(index, height);
        moved += element.offsetTop < this.element.scrollTop ? difference : 0;
      }
    }
    if (moved && !this.isAtEnd) {
      this.element.scrollTop += moved;
    }
    this.follow();
    this.soon();
  }
}

/** What is in the place of an element in a row that was made anew: what is named as it is, else the row. */
function sameIn(row: HTMLElement, element: Element): HTMLElement {
  const same = [...row.querySelectorAll<HTMLElement>(element.localName)].find((one) => nameOf(one) === nameOf(element));
  return same ?? row;
}

function nameOf(element: Element): string | null {
  return element.ariaLabel ?? element.textContent;
}
