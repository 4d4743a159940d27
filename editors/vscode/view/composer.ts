// Where the user writes: words, pictures pasted or dropped, places attached, and a list that `@` and `/` open.

import type { Attachment, Completion } from "../src/messages.ts";
import { button, h } from "./dom.ts";
import type { PageState } from "./state.ts";

const LARGEST_PICTURE = 5 * 1024 * 1024;

export class Composer {
  readonly element: HTMLElement;
  private readonly input = h("textarea", { id: "prompt", rows: "2", label: "Your words", role: "combobox", "aria-autocomplete": "list", "aria-controls": "offers", "aria-expanded": "false" });
  private readonly chips = h("div", { class: "chips" });
  private readonly offers = h("div", { id: "offers", class: "offers", role: "listbox", hidden: true });
  private readonly sendButton = button("Send", () => this.submit(), { class: "primary send", title: "Send (Enter)" });
  private readonly stopButton = button("Stop", () => this.state.send({ type: "command", command: "cancel" }), { class: "secondary stop", title: "Stop (Escape)" });
  private images: string[] = [];
  private attachments: Attachment[] = [];
  private items: readonly Completion[] = [];
  private chosen = 0;
  private request = 0;

  constructor(private readonly state: PageState) {
    this.element = h("div", { class: "composer" }, this.offers, this.chips, this.input, h("div", { class: "composer-bar" }, this.stopButton, this.sendButton));
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("paste", (event) => void this.takePictures(event, event.clipboardData?.files));
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => this.dropped(event));
    state.takeWords = () => this.takeWords();
  }

  /** What is asked for decides what the words will be. */
  update(): void {
    const status = this.state.status;
    const works = status?.state === "running" || status?.state === "streaming";
    this.stopButton.hidden = !works;
    this.input.placeholder = placeholder(status?.state, status?.ask?.kind);
  }

  compose(text: string, attachments: readonly Attachment[]): void {
    this.input.value = text || this.input.value;
    this.attachments = [...this.attachments, ...attachments];
    this.showChips();
    this.input.focus();
  }

  offer(request: number, items: readonly Completion[]): void {
    if (request !== this.request) {
      return;
    }
    this.items = items;
    this.chosen = 0;
    this.showOffers();
  }

  private key(event: KeyboardEvent): void {
    if (this.items.length && this.offerKey(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape" && !this.stopButton.hidden) {
      this.state.send({ type: "command", command: "cancel" });
    }
  }

  private offerKey(event: KeyboardEvent): boolean {
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        this.chosen = (this.chosen + (event.key === "ArrowDown" ? 1 : this.items.length - 1)) % this.items.length;
        this.showOffers();
        return true;
      case "Enter":
      case "Tab":
        this.take(this.chosen);
        return true;
      case "Escape":
        this.closeOffers();
        return true;
      default:
        return false;
    }
  }

  private typed(): void {
    this.input.style.height = "auto";
    this.input.style.height = `${Math.min(this.input.scrollHeight, 240)}px`;
    const word = this.word();
    this.request++;
    if (word) {
      this.state.send({ type: "complete", request: this.request, kind: word.kind, query: word.query });
    } else {
      this.closeOffers();
    }
  }

  /** The word at the cursor, where it begins with `@`, or is the first of all and begins with `/`. */
  private word(): { kind: "@" | "/"; query: string; start: number } | undefined {
    const before = this.input.value.slice(0, this.input.selectionStart);
    const match = /(?:^|\s)(@|(?<=^)\/)(\S*)$/.exec(before);
    return match ? { kind: match[1] as "@" | "/", query: match[2] ?? "", start: before.length - (match[2] ?? "").length - 1 } : undefined;
  }

  private take(index: number): void {
    const item = this.items[index];
    const word = this.word();
    if (item && word) {
      const end = this.input.selectionStart;
      this.input.setRangeText(item.insert, word.start, end, "end");
    }
    this.closeOffers();
    this.input.focus();
  }

  private showOffers(): void {
    this.offers.replaceChildren(
      ...this.items.map((item, index) =>
        h(
          "div",
          { class: "offer", role: "option", id: `offer-${index}`, "aria-selected": String(index === this.chosen), on: { mousedown: (event) => this.offerClicked(event, index) } },
          h("span", {}, item.label),
          h("span", { class: "dim" }, item.detail),
        ),
      ),
    );
    this.offers.hidden = this.items.length === 0;
    this.input.setAttribute("aria-expanded", String(this.items.length > 0));
    this.input.setAttribute("aria-activedescendant", this.items.length ? `offer-${this.chosen}` : "");
    this.offers.children[this.chosen]?.scrollIntoView({ block: "nearest" });
  }

  private offerClicked(event: Event, index: number): void {
    event.preventDefault();
    this.take(index);
  }

  private closeOffers(): void {
    this.items = [];
    this.showOffers();
  }

  private submit(): void {
    const text = this.input.value.trim();
    if (!text && this.images.length === 0) {
      return;
    }
    this.state.send({ type: "send", text, images: this.images, attachments: this.attachments });
    this.takeWords();
    this.images = [];
    this.attachments = [];
    this.showChips();
    this.closeOffers();
  }

  private takeWords(): string {
    const text = this.input.value.trim();
    this.input.value = "";
    this.input.style.height = "auto";
    return text;
  }

  private dropped(event: DragEvent): void {
    event.preventDefault();
    const uris = event.dataTransfer?.getData("application/vnd.code.uri-list") || event.dataTransfer?.getData("text/uri-list") || "";
    const files = uris.split(/\r?\n/).filter((line) => line.startsWith("file:"));
    if (files.length) {
      this.compose("", files.map((uri) => ({ uri, label: decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1)) })));
    } else {
      void this.takePictures(event, event.dataTransfer?.files);
    }
  }

  private async takePictures(event: Event, files: FileList | undefined): Promise<void> {
    const pictures = [...(files ?? [])].filter((file) => file.type.startsWith("image/") && file.size <= LARGEST_PICTURE);
    if (pictures.length) {
      event.preventDefault();
      this.images.push(...(await Promise.all(pictures.map(dataUrl))));
      this.showChips();
    }
  }

  private showChips(): void {
    const remove = (run: () => void): HTMLButtonElement =>
      button("×", () => {
        run();
        this.showChips();
      }, { class: "quiet", label: "Remove" });
    this.chips.replaceChildren(
      ...this.attachments.map((one, index) => h("span", { class: "chip" }, one.label, remove(() => this.attachments.splice(index, 1)))),
      ...this.images.map((src, index) => h("span", { class: "chip" }, h("img", { src, alt: "picture to send" }), remove(() => this.images.splice(index, 1)))),
    );
  }
}

function placeholder(state: string | undefined, ask: string | undefined): string {
  if (state === "waiting_for_input") {
    return ask === "followup" ? "Your answer" : "Words that go with your answer, or (Enter) for later";
  }
  if (state === "running" || state === "streaming") {
    return "Words for the agent while it works";
  }
  return state === undefined || state === "no_task" ? "What shall the agent do?  @ for files" : "Go on with…";
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("the picture could not be read"));
    reader.readAsDataURL(file);
  });
}
