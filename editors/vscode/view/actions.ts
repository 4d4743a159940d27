// What can be answered to the ask that waits: its buttons, and the suggestions of a question.

import type { Message } from "../src/protocol.ts";
import { rememberOffer } from "../src/toolAsk.ts";
import { button, h } from "./dom.ts";
import { markdownLine } from "./markdown.ts";
import { json } from "./rowText.ts";
import type { PageState } from "./state.ts";

/** As package.json binds them. */
const MODIFIERS = navigator.platform.startsWith("Mac") ? "⌥⌘" : "Alt+";
const KEYS: Record<string, string> = { yesButtonClicked: "Y", noButtonClicked: "N" };

export function actions(state: PageState, message: Message): HTMLElement {
  const rows = state.status?.ask?.actions ?? [];
  const buttons = rows.map(({ label, response }, index) => {
    const key = KEYS[response];
    const kind = index === 0 && key ? "primary" : "secondary";
    // Beside suggestions, what leads to the prompt is called what it does.
    const text = message.ask === "followup" && response === "messageResponse" ? "Write an answer…" : label;
    return button(text, () => act(state, message.ts, response), { class: kind, ...(key && { title: `${text} (${MODIFIERS}${key})` }) });
  });
  const offered = rememberOffer(message);
  const always = offered && button("Always…", () => state.send({ type: "remember", ts: message.ts }), { class: "quiet", title: `Always allow ${offered}` });
  return h("div", { class: "actions", role: "group", label: "Answer" }, ...suggestions(state, message), ...buttons, always);
}

/** What has a slash in it is no answer but a method to call. */
function act(state: PageState, ts: number, response: string): void {
  if (response.includes("/")) {
    state.send({ type: "call", method: response });
  } else if (response === "yesButtonClicked" || response === "noButtonClicked") {
    state.send({ type: "answer", ts, response, text: state.takeWords() });
  } else {
    document.querySelector<HTMLTextAreaElement>("#prompt")?.focus();
  }
}

function suggestions(state: PageState, message: Message): HTMLElement[] {
  const suggest = message.ask === "followup" ? json(message.text)["suggest"] : undefined;
  const rows = Array.isArray(suggest) ? (suggest as { answer?: unknown; mode?: unknown }[]) : [];
  return rows
    .map((row) => ({ answer: String(row.answer ?? ""), mode: typeof row.mode === "string" ? `${row.mode}: ` : "" }))
    .filter((row) => row.answer)
    .map(({ answer, mode }) => {
      const clicked = (): void => state.send({ type: "suggested", ts: message.ts, text: answer });
      return h("button", { type: "button", class: "suggestion", on: { click: clicked } }, mode, ...markdownLine(answer));
    });
}
