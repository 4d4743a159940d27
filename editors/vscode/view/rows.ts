// What each kind of message looks like. A row is made whole from its message; a growing one is told what to append.

import type { Message } from "../src/protocol.ts";
import { readToolText } from "../src/toolAsk.ts";
import { actions } from "./actions.ts";
import { changeElement } from "./diff.ts";
import { button, h } from "./dom.ts";
import type { Row } from "./list.ts";
import { codeBlock, MarkdownView } from "./markdown.ts";
import { facts } from "./rowText.ts";
import type { PageState } from "./state.ts";

export interface MessageRow extends Row {
  /** Appends what came; false where the row has to be made anew. */
  grow?(append: string): boolean;
}

export function messageRow(state: PageState, message: Message): MessageRow {
  const kind = message.ask ?? message.say ?? "";
  const made = bodyOf(state, message, kind);
  const waits = state.waits(message.ts);
  const element = h(
    "article",
    {
      class: `row ${message.type} k-${kind}${isUsers(state, message) ? " users" : ""}${waits ? " waits" : ""}${message.state ? " interrupted" : ""}`,
      tabindex: "-1",
      label: facts(message).label,
    },
    ...made.nodes,
    images(message),
    message.state === "interrupted" && h("div", { class: "note" }, "interrupted"),
    answerNote(message),
    waits ? actions(state, message) : undefined,
  );
  return { ts: message.ts, element, ...(made.grow && { grow: made.grow }) };
}

interface Body {
  nodes: (Node | string | undefined | false)[];
  grow?: (append: string) => boolean;
}

function bodyOf(state: PageState, message: Message, kind: string): Body {
  switch (kind) {
    case "text":
      return isUsers(state, message) ? { nodes: [userHead(state, message), prose(message).node] } : proseBody(message, undefined);
    case "completion_result":
    case "subtask_result":
      return proseBody(message, "Done");
    case "user_feedback":
      return { nodes: [userHead(state, message), prose(message).node] };
    case "user_feedback_diff":
      return { nodes: [h("div", { class: "head you" }, `You changed ${facts(message).place}`), codeBlock("diff", facts(message).label)] };
    case "reasoning":
      return folded(state, message, "Thinking", message.partial === true);
    case "tool":
      return toolBody(state, message);
    case "command":
      return commandBody(state, message);
    case "command_output":
      return outputBody(state, message);
    case "api_req_started":
      return { nodes: [h("div", { class: "dim" }, facts(message).label)] };
    case "followup":
      return { nodes: [prose({ ...message, text: facts(message).label }).node] };
    case "error":
    case "diff_error":
    case "api_req_failed":
    case "mistake_limit_reached":
      return { nodes: [h("div", { class: "head" }, facts(message).title), prose({ ...message, text: facts(message).label }).node] };
    default:
      return { nodes: [h("div", { class: "dim" }, facts(message).title), h("div", {}, facts(message).label)] };
  }
}

/** The task itself is a `text` as the model's are; it is the first. */
function isUsers(state: PageState, message: Message): boolean {
  const [first] = state.messages.keys();
  const isTask = message.say === "text" && message.ts === first && !state.hasMore;
  return isTask || message.say === "user_feedback" || message.say === "user_feedback_diff";
}

function userHead(state: PageState, message: Message): HTMLElement {
  const back = button("Go back", () => state.send({ type: "restore", ts: message.ts }), { class: "quiet", title: "Go back to before this message: files, conversation, or both" });
  return h("div", { class: "head you" }, h("span", {}, "You"), back);
}

function prose(message: Message): { node: HTMLElement; view: MarkdownView } {
  const view = new MarkdownView();
  view.append(message.text ?? "");
  if (message.partial !== true) {
    view.end();
  }
  return { node: view.element, view };
}

function proseBody(message: Message, head: string | undefined): Body {
  const { node, view } = prose(message);
  return {
    nodes: [head && h("div", { class: "head done" }, head), node],
    grow: (append) => {
      view.append(append);
      return true;
    },
  };
}

/** Something to unfold; open by itself only while it grows. */
function folded(state: PageState, message: Message, title: string, byItself: boolean): Body {
  const key = `${message.ts}`;
  const { node, view } = prose(message);
  const details = h("details", { open: state.isOpen(key, byItself), on: { click: (event) => summaryClicked(event, () => state.toggle(key)) } }, h("summary", {}, title), node);
  return {
    nodes: [details],
    grow: (append) => {
      view.append(append);
      return true;
    },
  };
}

function summaryClicked(event: Event, toggle: () => void): void {
  if (event.target instanceof HTMLElement && event.target.tagName === "SUMMARY") {
    toggle();
  }
}

function toolBody(state: PageState, message: Message): Body {
  const { title, place } = facts(message);
  const read = readToolText(message.text);
  const warning = read?.ask.isProtected ? "protected: this file can change what runs" : read?.ask.isOutsideWorkspace ? "outside the workspace" : undefined;
  const head = h(
    "div",
    { class: "head" },
    h("span", {}, title),
    place ? h("a", { href: "#", data: { open: place } }, place) : undefined,
    message.progress?.text && h("span", { class: "dim" }, message.progress.text),
    warning && h("span", { class: "warning" }, warning),
  );
  if (read?.growing !== undefined) {
    const pre = h("pre", { class: "output growing" }, read.growing);
    return {
      nodes: [head, pre],
      grow: (append) => {
        pre.append(append);
        pre.scrollTop = pre.scrollHeight;
        return true;
      },
    };
  }
  const changes = read?.ask.changes ?? [];
  const reason = read?.ask.reason && h("div", { class: "dim" }, read.ask.reason);
  if (changes.length === 0) {
    return { nodes: [head, reason] };
  }
  if (state.waits(message.ts)) {
    return { nodes: [head, reason, ...changes.map((change) => changeElement(state, message.ts, change))] };
  }
  const key = `${message.ts}`;
  const added = changes.reduce((sum, change) => sum + change.added, 0);
  const removed = changes.reduce((sum, change) => sum + change.removed, 0);
  const details = h("details", { open: state.isOpen(key, false), on: { click: (event) => summaryClicked(event, () => state.toggle(key)) } }, h("summary", {}, h("span", { class: "plus" }, `+${added}`), " ", h("span", { class: "minus" }, `−${removed}`)));
  const fill = (): void => {
    if (details.open && details.childElementCount === 1) {
      details.append(...changes.map((change) => changeElement(state, message.ts, change)));
    }
  };
  details.addEventListener("toggle", fill);
  fill();
  return { nodes: [head, reason, details] };
}

function commandBody(state: PageState, message: Message): Body {
  const { label, segments, reason, place } = facts(message);
  const parts = segments.filter((one) => one.verdict !== "auto_approve" && segments.length > 1);
  return {
    nodes: [
      h("div", { class: "head" }, h("span", {}, "Command"), place && !state.folders.includes(place) ? h("span", { class: "dim" }, `in ${place}`) : undefined),
      h("pre", { class: "command", tabindex: "0" }, label),
      reason ? h("div", { class: "dim" }, reason) : undefined,
      ...parts.map((one) => h("div", { class: `segment v-${one.verdict}` }, h("code", {}, one.text), ` ${one.verdict === "auto_deny" ? "denied" : "asks"}`)),
    ],
  };
}

const LINES_SHOWN = 12;

function outputBody(state: PageState, message: Message): Body {
  const text = message.text ?? "";
  const isGrowing = message.partial === true && !message.answer;
  const key = `${message.ts}`;
  const isOpen = state.isOpen(key, false);
  const lines = text.trimEnd().split("\n");
  const shown = isOpen || lines.length <= LINES_SHOWN ? text.trimEnd() : lines.slice(-LINES_SHOWN).join("\n");
  const pre = h("pre", { class: "output", tabindex: "0" }, shown || "(no output)");
  const more = lines.length > LINES_SHOWN && button(isOpen ? "Less" : `All ${lines.length} lines`, () => state.send({ type: "terminal", ts: message.ts, operation: "show" }), { class: "quiet", title: "Show it all as a terminal" });
  const bar = h(
    "div",
    { class: "bar" },
    more,
    isGrowing && button("Go on without it", () => state.send({ type: "terminal", ts: message.ts, operation: "continue" }), { class: "quiet" }),
    isGrowing && button("End it", () => state.send({ type: "terminal", ts: message.ts, operation: "abort" }), { class: "quiet" }),
  );
  return { nodes: [pre, bar] };
}

function images(message: Message): HTMLElement | undefined {
  const pictures = (message.images ?? []).filter((url) => /^data:image\/(png|jpeg|gif|webp);base64,/.test(url));
  return pictures.length ? h("div", { class: "images" }, ...pictures.map((src) => h("img", { src, alt: "attached picture" }))) : undefined;
}

function answerNote(message: Message): HTMLElement | undefined {
  const answer = message.answer;
  if (!answer || message.ask === "command_output") {
    return undefined;
  }
  const word = answer.response === "yesButtonClicked" || answer.response === "objectResponse" ? "approved" : answer.response === "noButtonClicked" ? "rejected" : "answered";
  const who = answer.by === "user" ? "" : ` by ${answer.by}`;
  return h("div", { class: `note ${word}` }, `${word}${who}${answer.text ? `: ${answer.text}` : ""}`);
}
