// What goes with the words: places of files, and pictures that were pasted or dropped.

import type { Attachment } from "../src/messages.ts";
import { h, iconButton } from "./dom.ts";
import { icon } from "./icons.ts";

const LARGEST_PICTURE = 5 * 1024 * 1024;

export interface Contents {
  images: readonly string[];
  attachments: readonly Attachment[];
}

export class Enclosed {
  readonly element = h("div", { class: "chips", hidden: true });
  private images: string[] = [];
  private attachments: Attachment[] = [];

  constructor(
    private readonly complain: (text: string) => void,
    private readonly changed: () => void,
  ) {}

  get contents(): Contents {
    return { images: this.images, attachments: this.attachments };
  }

  attach(places: readonly Attachment[], images: readonly string[] = []): void {
    if (images.length) {
      this.images = [...this.images, ...images];
    }
    const known = new Set(this.attachments.map(keyOf));
    this.attachments = [...this.attachments, ...places.filter((place) => !known.has(keyOf(place)))];
    this.render();
  }

  /** Takes the pictures among some files; false where there are none. */
  takePictures(files: FileList | undefined): boolean {
    const pictures = [...(files ?? [])].filter((file) => file.type.startsWith("image/"));
    void this.read(pictures);
    return pictures.length > 0;
  }

  /** Files dropped from the explorer, an editor's tab or elsewhere; and pictures. */
  takeDropped(transfer: DataTransfer | null): void {
    const uris = transfer?.getData("application/vnd.code.uri-list") || transfer?.getData("text/uri-list") || "";
    const files = uris.split(/\r?\n/).filter((line) => /^(file|vscode-remote):/.test(line));
    if (files.length) {
      this.attach(files.map((uri) => ({ uri, label: labelOf(uri) })));
    } else {
      this.takePictures(transfer?.files);
    }
  }

  clear(): void {
    this.images = [];
    this.attachments = [];
    this.render();
  }

  private async read(pictures: readonly File[]): Promise<void> {
    for (const picture of pictures) {
      if (picture.size > LARGEST_PICTURE) {
        this.complain(`${picture.name} is larger than 5 MB: no model takes it. Make it smaller and paste it again.`);
      } else {
        this.images = [...this.images, await dataUrl(picture)];
        this.render();
      }
    }
  }

  private render(): void {
    const places = this.attachments.map((place) => this.chip(place.label, () => (this.attachments = this.attachments.filter((one) => one !== place)), icon("file"), place.label));
    const pictures = this.images.map((src) => this.chip("picture", () => (this.images = this.images.filter((one) => one !== src)), h("img", { src, alt: "picture to send" })));
    this.element.replaceChildren(...places, ...pictures);
    this.element.hidden = this.element.childElementCount === 0;
    this.changed();
  }

  private chip(name: string, remove: () => void, ...parts: (Node | string)[]): HTMLElement {
    const removed = (): void => {
      remove();
      this.render();
    };
    return h("span", { class: "chip", title: name }, ...parts.map((part) => (typeof part === "string" ? h("span", {}, part) : part)), iconButton("cross", `Remove ${name}`, removed));
  }
}

function keyOf(place: Attachment): string {
  return `${place.uri}${JSON.stringify(place.range)}`;
}

function labelOf(uri: string): string {
  return decodeURIComponent(uri.replace(/\/$/, "").split("/").at(-1) ?? uri);
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("the picture could not be read"));
    reader.readAsDataURL(file);
  });
}
