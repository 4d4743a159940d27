// What each kind of message looks like. A row is made whole from its message; a growing one is told what to append.

import type { Message } from "../src/protocol.ts";
import { actions } from "./actions.ts";
import { commandBody, outputBody } from "./commandRow.ts";
import { button, fold, h, iconButton } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";
import type { Row } from "./list.ts";
import { codeBlock, markdownLine, MarkdownView } from "./markdown.ts";
import type { Body } from "./rowBody.ts";
import { facts, json } from "./rowText.ts";
import type { PageState } from "./state.ts";
import { toolBody } from "./toolRow.ts";

export type MessageRow = Row & Pick<Body, "grow" | "renew">;

export function messageRow(state: PageState, message: Message): MessageRow {
  const kind = message.ask ?? message.say ?? "";
  const made = bodyOf(state, message, kind);
  const waits = state.waits(message.ts);
  const marks = [isUsers(state, message) && "users", waits && "waits", message.state && "interrupted"].filter(Boolean);
  const element = h(
    "article",
    { class: ["row", message.type, `k-${kind}`, ...marks].join(" "), tabindex: "-1", label: facts(message).label },
    ...made.nodes,
    images(message),
    message.state === "interrupted" && !UNREMARKED.has(kind) && h("div", { class: "note" }, "interrupted"),
    answerNote(message),
    waits ? actions(state, message) : undefined,
  );
  markApproved(element, message);
  return { ts: message.ts, element, ...(made.grow && { grow: made.grow }), ...(made.renew && { renew: made.renew }) };
}

/** Kinds whose rows say themselves that they were cut off. */
const UNREMARKED = new Set(["resume_task", "api_req_started"]);

const HEADS: Record<string, IconName> = {
  error: "warning",
  diff_error: "warning",
  ignore_error: "warning",
  api_req_failed: "warning",
  api_req_retry_delayed: "clock",
  api_req_rate_limit_wait: "clock",
  mistake_limit_reached: "warning",
  auto_approval_max_req_reached: "warning",
  condense_context_error: "condense",
  use_mcp_server: "plug",
  mcp_server_request_started: "plug",
  mcp_server_response: "plug",
  browser_action_launch: "globe",
  resume_task: "clock",
  resume_completed_task: "clock",
};

function bodyOf(state: PageState, message: Message, kind: string): Body {
  switch (kind) {
    case "text":
      return isUsers(state, message) ? usersBody(state, message) : proseBody(message, undefined);
    case "completion_result":
    case "subtask_result":
      return proseBody(message, h("div", { class: "head done" }, icon("check"), h("span", {}, "Done")));
    case "user_feedback":
      return usersBody(state, message);
    case "user_feedback_diff":
      return { nodes: [h("div", { class: "head" }, icon("edit"), `You changed ${facts(message).place}`), codeBlock("diff", facts(message).label)] };
    case "reasoning":
      return thoughtBody(state, message);
    case "tool":
      return toolBody(state, message);
    case "command":
      return commandBody(state, message);
    case "command_output":
      return outputBody(state, message);
    case "api_req_started":
      return { nodes: [h("div", { class: "head quiet-line" }, icon(message.state ? "cross" : "spinner"), h("span", {}, message.state ? "The request was cut off" : facts(message).label))] };
    case "followup":
      return { nodes: [h("div", { class: "head" }, icon("question"), h("span", {}, "Question")), prose({ ...message, text: facts(message).label }).node] };
    case "api_req_retry_delayed":
      return retryBody(state, message);
    case "condense_context":
    case "sliding_window_truncation":
      return condensedBody(state, message);
    default:
      return saidBody(message, kind);
  }
}

/** The task itself is a `text` as the model's are; it is the first. */
function isUsers(state: PageState, message: Message): boolean {
  const [first] = state.messages.keys();
  const isTask = message.say === "text" && message.ts === first && !state.hasMore;
  return isTask || message.say === "user_feedback" || message.say === "user_feedback_diff";
}

function usersBody(state: PageState, message: Message): Body {
  const back = iconButton("back", "Go back", () => state.send({ type: "restore", ts: message.ts }), { title: "Go back to before this message: files, conversation, or both" });
  return { nodes: [back, prose(message).node] };
}

function prose(message: Message): { node: HTMLElement; view: MarkdownView } {
  const view = new MarkdownView();
  view.append(message.text ?? "");
  if (message.partial !== true) {
    view.end();
  }
  return { node: view.element, view };
}

function proseBody(message: Message, head: HTMLElement | undefined): Body {
  const { node, view } = prose(message);
  return {
    nodes: [head, node],
    grow: (append) => {
      view.append(append);
      return true;
    },
  };
}

/** What the model thinks is open by itself only while it grows. */
function thoughtBody(state: PageState, message: Message): Body {
  const key = `${message.ts}`;
  const { node, view } = prose(message);
  const head = [icon(message.partial ? "spinner" : "thought"), h("span", {}, message.partial ? "Thinking" : "Thought")];
  return {
    nodes: [fold([h("div", { class: "head quiet-line" }, ...head)], state.isOpen(key, message.partial === true), () => state.toggle(key), () => [node])],
    grow: (append) => {
      view.append(append);
      return true;
    },
  };
}

function condensedBody(state: PageState, message: Message): Body {
  const key = `${message.ts}`;
  const { title, label, place } = facts(message);
  const head = h("div", { class: "head quiet-line" }, icon(message.partial ? "spinner" : "condense"), h("span", {}, title), place && h("span", { class: "dim" }, place));
  const words = label ? fold([head], state.isOpen(key, false), () => state.toggle(key), () => [prose({ ...message, text: label }).node]) : head;
  return { nodes: [message.say === "condense_context" && !message.partial && takeBack(state, message.ts), words] };
}

function takeBack(state: PageState, ts: number): HTMLElement {
  const title = "Take this back: the agent is told again all that was before, and what came after is hidden";
  return iconButton("back", "Take this back", () => state.send({ type: "restore", ts, what: "conversation" }), { title });
}

/** A wait that counts down, which the user can skip or give up. */
function retryBody(state: PageState, message: Message): Body {
  const title = h("span", {});
  const words = h("div", {});
  const act = (response: "yesButtonClicked" | "noButtonClicked") => () => state.send({ type: "answer", ts: message.ts, response, text: "" });
  const bar = h("div", { class: "bar" }, button("Try now", act("yesButtonClicked"), { class: "quiet" }), button("Give up", act("noButtonClicked"), { class: "quiet" }));
  const renew = (now: Message): boolean => {
    title.textContent = facts(now).title;
    words.textContent = facts(now).label;
    bar.hidden = !isWaiting(now);
    return now.state === undefined;
  };
  renew(message);
  return { nodes: [h("div", { class: "head" }, icon("clock"), title), words, bar], renew };
}

function isWaiting(retry: Message): boolean {
  return retry.state === undefined && Number(json(retry.text)["seconds"] ?? 0) > 0;
}

/** All that a client shows as words under what they are. */
function saidBody(message: Message, kind: string): Body {
  const { title, label } = facts(message);
  if (kind === "info") {
    return { nodes: [h("div", { class: "head quiet-line" }, icon("info"), h("span", { class: "said" }, ...markdownLine(label)))] };
  }
  const head = h("div", { class: "head" }, icon(HEADS[kind] ?? "info"), h("span", {}, title));
  return { nodes: [head, label && prose({ ...message, text: label }).node] };
}

function images(message: Message): HTMLElement | undefined {
  const pictures = (message.images ?? []).filter((url) => /^data:image\/(png|jpeg|gif|webp);base64,/.test(url));
  return pictures.length ? h("div", { class: "images" }, ...pictures.map((src) => h("img", { src, alt: "attached picture" }))) : undefined;
}

function answerNote(message: Message): HTMLElement | undefined {
  const answer = message.answer;
  if (!answer || isPlainYes(message) || SPOKEN.has(message.ask ?? "")) {
    return undefined;
  }
  const word = APPROVING.has(answer.response) ? "approved" : answer.response === "noButtonClicked" ? "rejected" : "answered";
  const who = answer.by === "user" ? "" : ` by ${answer.by}`;
  return h("div", { class: `note ${word}` }, icon(word === "rejected" ? "cross" : "check"), h("span", {}, `${word}${who}${answer.text ? `: ${answer.text}` : ""}`));
}

/** Asks whose answer is a row of its own, or none at all. */
const SPOKEN = new Set(["command_output", "completion_result", "followup"]);
const APPROVING = new Set(["yesButtonClicked", "objectResponse"]);

function isPlainYes({ ask, answer }: Message): boolean {
  return answer !== undefined && (ask === "tool" || ask === "command") && !answer.text && APPROVING.has(answer.response);
}

/** A yes without words is a mark beside what it was said to. */
function markApproved(row: HTMLElement, message: Message): void {
  if (message.progress?.icon === "error") {
    const word = message.progress.text ?? "not done";
    row.querySelector(".head")?.append(h("span", { class: "mark failed" }, icon("cross"), word));
  } else if (isPlainYes(message)) {
    const title = message.answer?.by === "user" ? "approved" : `approved by ${message.answer?.by}`;
    row.querySelector(".head")?.append(h("span", { class: "mark approved", role: "img", label: title, title }, icon("check")));
  }
}
