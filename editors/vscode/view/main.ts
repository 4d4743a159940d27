// The page: rows, prompt, header and footer, and what arrives from the extension.

import type { FromView, ToView } from "../src/messages.ts";
import type { Message } from "../src/protocol.ts";
import { Composer } from "./composer.ts";
import { h, iconButton } from "./dom.ts";
import { Footer } from "./footer.ts";
import { Header } from "./header.ts";
import { RowList } from "./list.ts";
import { facts, isOver } from "./rowText.ts";
import { messageRow, type MessageRow } from "./rows.ts";
import { PageState } from "./state.ts";
import { Welcome } from "./welcome.ts";

declare function acquireVsCodeApi(): { postMessage(message: FromView): void };

const HIDDEN = new Set(["checkpoint_saved", "todos"]);

class Page {
  private readonly api = acquireVsCodeApi();
  private readonly state = new PageState((message) => this.api.postMessage(message));
  private readonly rows = new RowList((ts) => this.rowOf(ts), () => this.older());
  private readonly composer = new Composer(this.state, (text) => this.say(text));
  private readonly header = new Header(this.state);
  private readonly footer = new Footer(this.state);
  private readonly welcome = new Welcome(this.state);
  private readonly notice = h("div", { class: "notice", role: "alert", hidden: true });
  /** Read out when it changes: that an answer is wanted, or that the work is done. */
  private readonly announcer = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  private askedBefore = 0;
  private frame = 0;

  constructor(root: HTMLElement) {
    root.append(this.header.element, this.welcome.element, this.rows.element, this.notice, this.composer.element, this.footer.element, this.announcer);
    window.addEventListener("message", (event: MessageEvent<ToView>) => this.receive(event.data));
    root.addEventListener("click", (event) => this.clicked(event));
    this.rows.element.addEventListener("keydown", (event) => this.key(event));
    // Who comes into the view by a key comes to write.
    window.addEventListener("focus", () => this.composer.takeFocus());
    this.composer.takeFocus();
    this.api.postMessage({ type: "ready" });
  }

  private receive(message: ToView): void {
    switch (message.type) {
      case "server":
        this.state.server = message.state;
        this.state.methods = message.methods;
        this.state.folders = message.folders;
        break;
      case "snapshot":
        this.load(message);
        break;
      case "message":
        this.put(message.message);
        break;
      case "deleted":
        this.state.messages.delete(message.ts);
        this.rows.remove(message.ts);
        break;
      case "delta":
        this.grow(message.ts, message.append);
        break;
      case "status":
        this.becomes(message.status);
        break;
      case "decisions":
        this.state.decisions.set(message.ts, message.hunks);
        this.rows.refresh(message.ts);
        break;
      case "home":
        this.state.home = message.home;
        break;
      case "queue":
        this.state.queue = message.words;
        break;
      case "draft":
        this.composer.restore(message.draft);
        break;
      case "completions":
        this.composer.offer(message.request, message.items);
        break;
      case "compose":
        this.composer.compose(message, message.takesFocus);
        break;
      case "taken":
        this.composer.taken(message.text);
        break;
      case "notice":
        this.say(message.text);
        break;
    }
    // Once for all that arrives before the next picture.
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.update();
    });
  }

  private load(snapshot: Extract<ToView, { type: "snapshot" }>): void {
    const { state } = this;
    state.messages.clear();
    for (const message of snapshot.messages) {
      state.messages.set(message.ts, message);
    }
    state.decisions.clear();
    for (const [ts, hunks] of Object.entries(snapshot.decisions)) {
      state.decisions.set(Number(ts), hunks);
    }
    state.status = snapshot.status;
    state.hasMore = snapshot.hasMore;
    this.askedBefore = 0;
    this.rows.reset(snapshot.messages.filter(isShown).map((message) => message.ts));
  }

  private put(message: Message): void {
    const isNew = !this.state.messages.has(message.ts);
    this.state.messages.set(message.ts, message);
    if (!isShown(message)) {
      this.rows.remove(message.ts);
    } else if (isNew) {
      this.rows.add(message.ts);
    } else if (!(this.rows.row(message.ts) as MessageRow | undefined)?.renew?.(message)) {
      this.rows.refresh(message.ts);
    }
    if (message.say === "user_feedback") {
      this.rows.toEnd();
    }
  }

  private grow(ts: number, append: string): void {
    const message = this.state.messages.get(ts);
    if (!message) {
      return;
    }
    this.state.messages.set(ts, { ...message, text: (message.text ?? "") + append });
    const row = this.rows.row(ts) as MessageRow | undefined;
    if (row && !row.grow?.(append)) {
      this.rows.refresh(ts);
    }
  }

  private becomes(status: NonNullable<PageState["status"]>): void {
    const before = this.state.status?.ask?.ts;
    this.state.status = status;
    const now = status.ask?.ts;
    if (before !== now) {
      // Only the row that asked and the one that asks now look different.
      for (const ts of [before, now]) {
        if (ts !== undefined) {
          this.rows.refresh(ts);
        }
      }
      this.announce(now);
    }
  }

  private announce(ts: number | undefined): void {
    const message = ts === undefined ? undefined : this.state.messages.get(ts);
    this.announcer.textContent = message ? `${this.state.status?.state === "waiting_for_input" ? "The agent asks" : "The agent rests"}: ${facts(message).title}. ${facts(message).label.slice(0, 200)}` : "";
  }

  private update(): void {
    this.header.update();
    this.footer.update();
    this.composer.update();
    this.rows.element.hidden = this.state.messages.size === 0;
    this.welcome.update();
  }

  private rowOf(ts: number): MessageRow {
    const message = this.state.messages.get(ts);
    return messageRow(this.state, message ?? { ts, type: "say", say: "info", text: "" });
  }

  private older(): void {
    const [first] = this.state.messages.keys();
    if (this.state.hasMore && first !== undefined && this.askedBefore !== first) {
      this.askedBefore = first;
      this.state.send({ type: "older", before: first });
    }
  }

  /** Links and copy buttons anywhere in the rows. */
  private clicked(event: Event): void {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-open], [data-copy]") : null;
    if (!target) {
      return;
    }
    event.preventDefault();
    const { open, line, copy } = target.dataset;
    if (copy !== undefined) {
      this.state.send({ type: "copy", text: target.parentElement?.querySelector("code")?.textContent ?? "" });
    } else if (open) {
      this.state.send({ type: "open", path: open, ...(line && { line: Number(line) }) });
    }
  }

  private key(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const isInRow = event.target instanceof Element && event.target.matches(".rows, .row");
    if (step && isInRow) {
      event.preventDefault();
      this.rows.moveFocus(step);
    }
  }

  private say(text: string): void {
    this.notice.replaceChildren(h("span", {}, text), iconButton("cross", "Close", () => (this.notice.hidden = true)));
    this.notice.hidden = false;
  }
}

/** A request is shown while it is open: what becomes of it other rows say, what it cost the foot of the page. The list of what is to
 * be done stands at its head. */
function isShown(message: Message): boolean {
  if (message.say === "tool" && /^\{"tool": ?"updateTodoList"/.test(message.text ?? "")) {
    return false;
  }
  return !HIDDEN.has(message.say ?? "") && !(message.say === "api_req_started" && isOver(message));
}

const root = document.getElementById("app");
if (root) {
  new Page(root);
}
