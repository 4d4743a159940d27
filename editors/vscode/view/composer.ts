// Where the user writes: words and what goes with them, the choices that hold for what is said, and send and stop.

import type { Completion, Draft } from "../src/messages.ts";
import { Choices } from "./choices.ts";
import { h, iconButton } from "./dom.ts";
import { Enclosed } from "./enclosed.ts";
import { Offers } from "./offers.ts";
import { Queue } from "./queue.ts";
import type { PageState } from "./state.ts";
import { type Word, wordBefore } from "./word.ts";

const TALLEST = 240;

export class Composer {
  readonly element: HTMLElement;
  private readonly input = h("textarea", { id: "prompt", rows: "2", label: "Your words", role: "combobox", "aria-autocomplete": "list", "aria-controls": "offers", "aria-expanded": "false" });
  private readonly enclosed: Enclosed;
  private readonly offers = new Offers(this.input, (item) => this.take(item));
  private readonly choices: Choices;
  private readonly queue: Queue;
  private readonly sendButton = iconButton("send", "Send", () => this.submit(), { class: "primary send", title: "Send (Enter)" });
  private readonly stopButton = iconButton("stop", "Stop", () => this.stop(), { class: "stop", title: "Stop (Escape)" });
  private request = 0;
  private wantsFocus = false;
  /** The pictures that the extension has: they are large, and do not go with each key. */
  private keptImages: readonly string[] | undefined;

  constructor(
    private readonly state: PageState,
    complain: (text: string) => void,
  ) {
    this.enclosed = new Enclosed(complain, () => this.changed());
    this.choices = new Choices(state);
    this.queue = new Queue(state);
    const bar = h("div", { class: "composer-bar" }, this.choices.element, this.stopButton, this.sendButton);
    this.element = h("div", { class: "composer" }, this.queue.element, this.offers.element, h("div", { class: "box" }, this.enclosed.element, this.input, bar));
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("blur", () => this.closeOffers());
    this.input.addEventListener("paste", (event) => this.pasted(event));
    this.acceptDrops();
    state.takeWords = () => this.takeWords();
    this.sendable();
  }

  /** What is asked for decides what the words will be. */
  update(): void {
    const status = this.state.status;
    const works = status?.state === "running" || status?.state === "streaming";
    this.stopButton.hidden = !works;
    this.input.placeholder = placeholder(status?.state, status?.ask?.kind);
    this.choices.update();
    this.queue.update();
  }

  compose({ text, attachments, images }: Draft, takesFocus: boolean): void {
    // Words that are there already stay: what comes in goes before them.
    this.input.value = [text, this.input.value].filter(Boolean).join("\n");
    this.enclosed.attach(attachments, images);
    this.fit();
    this.wantsFocus = takesFocus;
    this.takeFocus();
  }

  /** Takes the focus within the page, where the page has it and nobody else there does. It never draws it out of the editor: the
   * page may hear late that it was wanted. */
  takeFocus(): void {
    if (document.hasFocus() && (this.wantsFocus || document.activeElement === document.body)) {
      this.wantsFocus = false;
      this.input.focus();
    }
  }

  /** What was typed since stays. */
  taken(text: string): void {
    if (text && this.input.value.startsWith(text)) {
      this.input.value = this.input.value.slice(text.length);
      this.fit();
      this.changed();
    }
  }

  /** Takes back what was written before the page went away; what was typed since stays behind it. */
  restore(draft: Draft): void {
    this.input.value = draft.text + this.input.value;
    this.enclosed.attach(draft.attachments, draft.images);
    requestAnimationFrame(() => this.fit());
  }

  offer(request: number, items: readonly Completion[]): void {
    if (request === this.request) {
      this.offers.show(items);
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) {
      // These keys choose among the characters of an input method.
      return;
    }
    if (this.offers.key(event.key)) {
      event.preventDefault();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape" && !this.stopButton.hidden) {
      this.stop();
    }
  }

  /** Words that were copied out of a document often come with a picture of themselves: then the words are meant. */
  private pasted(event: ClipboardEvent): void {
    const { clipboardData } = event;
    const isDocument = clipboardData?.types.includes("text/html") && clipboardData.types.includes("text/plain");
    if (!isDocument && this.enclosed.takePictures(clipboardData?.files)) {
      event.preventDefault();
    }
  }

  private stop(): void {
    this.state.send({ type: "command", command: "cancel" });
  }

  private typed(): void {
    this.fit();
    this.changed();
    const word = this.word();
    if (word) {
      this.state.send({ type: "complete", request: ++this.request, kind: word.kind, query: word.query });
    } else {
      this.closeOffers();
    }
  }

  /** What is in the prompt is kept as it is, and can be sent if there is anything. */
  private changed(): void {
    const { images, attachments } = this.enclosed.contents;
    this.sendable();
    this.state.send({ type: "draft", text: this.input.value, attachments, ...(images === this.keptImages ? {} : { images }) });
    this.keptImages = images;
  }

  private sendable(): void {
    this.sendButton.disabled = !this.input.value.trim() && this.enclosed.contents.images.length === 0;
  }

  private fit(): void {
    this.input.style.height = "auto";
    this.input.style.height = `${Math.min(this.input.scrollHeight, TALLEST)}px`;
  }

  private word(): Word | undefined {
    return wordBefore(this.input.value.slice(0, this.input.selectionStart));
  }

  private take(item: Completion): void {
    const word = this.word();
    if (word) {
      this.input.setRangeText(item.insert, word.start, this.input.selectionStart, "end");
    }
    this.fit();
    this.changed();
    this.closeOffers();
    this.input.focus();
  }

  /** What was asked for before is not wanted any more, however late it comes. */
  private closeOffers(): void {
    this.request++;
    this.offers.close();
  }

  private submit(): void {
    const { images } = this.enclosed.contents;
    const text = this.input.value.trim();
    if (text || images.length) {
      this.state.send({ type: "send", text, ...this.enclosed.contents });
      this.takeWords();
      this.enclosed.clear();
      this.closeOffers();
    }
  }

  private takeWords(): string {
    const text = this.input.value.trim();
    this.input.value = "";
    this.fit();
    this.changed();
    return text;
  }

  /** The editor shows a page what is dragged only with Shift held: so all of the page takes it then. */
  private acceptDrops(): void {
    const over = (isOver: boolean) => (event: DragEvent): void => {
      event.preventDefault();
      this.element.classList.toggle("dropping", isOver);
    };
    window.addEventListener("dragover", over(true));
    window.addEventListener("dragleave", over(false));
    window.addEventListener("drop", (event) => {
      over(false)(event);
      this.enclosed.takeDropped(event.dataTransfer);
      this.input.focus();
    });
  }
}

function placeholder(state: string | undefined, ask: string | undefined): string {
  if (state === "waiting_for_input") {
    return ask === "followup" ? "Your answer" : "Words to go with your answer";
  }
  if (state === "running" || state === "streaming") {
    return "Words for the agent while it works";
  }
  return state === undefined || state === "no_task" ? "What shall the agent do? @ for files, / for commands" : "Go on with…";
}
