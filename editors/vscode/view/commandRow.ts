// A command before it runs, and what it prints.

import type { Message } from "../src/protocol.ts";
import { button, h } from "./dom.ts";
import { icon } from "./icons.ts";
import type { Body } from "./rowBody.ts";
import { facts, json } from "./rowText.ts";
import type { PageState } from "./state.ts";

const LINES_SHOWN = 12;

export function commandBody(state: PageState, message: Message): Body {
  const { label, segments, reason, place } = facts(message);
  // What asks in a command of which nothing is denied or allowed by itself is the whole of it.
  const isMixed = new Set(segments.map((one) => one.verdict)).size > 1 || segments.some((one) => one.verdict === "auto_deny");
  const parts = isMixed ? segments.filter((one) => one.verdict !== "auto_approve") : [];
  const isSandboxed = json(message.text)["isSandboxed"] === true;
  return {
    nodes: [
      h(
        "div",
        { class: "head" },
        icon("terminal"),
        h("span", {}, message.type === "ask" ? "Run" : "Command"),
        place && !state.folders.includes(place) ? h("span", { class: "dim" }, `in ${place}`) : undefined,
        isSandboxed && h("span", { class: "dim", title: "It can write nothing outside the workspace and reach no network" }, "in a sandbox"),
      ),
      h("pre", { class: "command", tabindex: "0" }, label),
      reason ? h("div", { class: "dim" }, reason) : undefined,
      ...parts.map((one) => h("div", { class: `segment v-${one.verdict}` }, h("code", {}, one.text), ` ${one.verdict === "auto_deny" ? "denied" : "asks"}`)),
    ],
  };
}

export function outputBody(state: PageState, message: Message): Body {
  const isGrowing = message.partial === true && !message.answer;
  const act = (operation: "continue" | "abort" | "show") => () => state.send({ type: "terminal", ts: message.ts, operation });
  const words = h("span", {});
  const all = button("", act("show"), { class: "quiet", title: "Show it all as a terminal" });
  const bar = h(
    "div",
    { class: "bar" },
    isGrowing && icon("spinner"),
    all,
    isGrowing && button("Go on without it", act("continue"), { class: "quiet" }),
    isGrowing && button("End it", act("abort"), { class: "quiet" }),
  );
  let text = "";
  // What can be pressed stays where it is, however fast the output comes.
  const grow = (append: string): boolean => {
    text += append;
    const lines = text.trimEnd().split("\n");
    words.textContent = lines.slice(-LINES_SHOWN).join("\n") || (isGrowing ? "…" : "(no output)");
    all.textContent = `All ${lines.length} lines`;
    all.hidden = lines.length <= LINES_SHOWN;
    bar.hidden = all.hidden && !isGrowing;
    return true;
  };
  grow(message.text ?? "");
  return { nodes: [h("pre", { class: "output", tabindex: "0" }, words), bar], grow };
}
