// What a tool does, in a line; the change that it proposes as a card; and what is there of it while the model still writes.

import type { Message } from "../src/protocol.ts";
import { readToolText, type ToolText } from "../src/toolAsk.ts";
import { changeElement, countsElement } from "./diff.ts";
import { fold, h } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";
import type { Body } from "./rowBody.ts";
import { facts } from "./rowText.ts";
import type { PageState } from "./state.ts";

const ICONS: Record<string, IconName> = {
  readFile: "file",
  listFilesTopLevel: "folder",
  listFilesRecursive: "folder",
  searchFiles: "search",
  newFileCreated: "create",
  editedExistingFile: "edit",
  appliedDiff: "edit",
  deletedFile: "remove",
  renamedFile: "file",
  saveFiles: "file",
  switchMode: "mode",
  updateTodoList: "list",
  fetchUrl: "globe",
};

export function toolBody(state: PageState, message: Message): Body {
  const read = readToolText(message.text);
  if (read?.growing !== undefined) {
    return growingBody(message, read);
  }
  const changes = read?.ask.changes ?? [];
  const reason = read?.ask.reason && h("div", { class: "dim" }, read.ask.reason);
  if (changes.length === 0) {
    return { nodes: [headOf(message, read), reason] };
  }
  const cards = (): HTMLElement[] => changes.map((change) => changeElement(state, message.ts, change));
  if (state.waits(message.ts)) {
    const several = changes.length > 1 ? h("div", { class: "head" }, h("span", {}, `Change ${changes.length} files`)) : undefined;
    return { nodes: [several, warningOf(read), reason, ...cards()] };
  }
  const sum = { added: 0, removed: 0 };
  for (const { added, removed } of changes) {
    sum.added += added;
    sum.removed += removed;
  }
  const key = `${message.ts}`;
  return { nodes: [fold([headOf(message, read, countsElement(sum))], state.isOpen(key, false), () => state.toggle(key), cards), reason] };
}

function growingBody(message: Message, read: ToolText): Body {
  const words = h("span", {}, read.growing);
  return {
    nodes: [headOf(message, read), h("pre", { class: "output growing" }, words)],
    grow: (append) => {
      words.append(append);
      return true;
    },
  };
}

function headOf(message: Message, read: ToolText | undefined, counts?: HTMLElement): HTMLElement {
  const { title, place } = facts(message);
  const isFile = (read?.ask.paths?.length ?? 1) === 1;
  return h(
    "div",
    { class: "head" },
    icon(message.partial ? "spinner" : (ICONS[read?.ask.tool ?? ""] ?? "plug")),
    h("span", {}, title),
    place && place !== "." && (isFile ? h("a", { href: "#", title: place, data: { open: place } }, h("bdi", {}, place)) : h("span", { class: "dim" }, place)),
    counts,
    message.progress?.text && h("span", { class: "dim" }, message.progress.text),
    warningOf(read),
  );
}

function warningOf(read: ToolText | undefined): HTMLElement | undefined {
  const text = read?.ask.isProtected ? "protected: this file can change what runs" : read?.ask.isOutsideWorkspace ? "outside the workspace" : undefined;
  return text ? h("span", { class: "warning" }, icon("warning"), text) : undefined;
}
