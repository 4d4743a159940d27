// A change as its hunks, each with its own accept and reject while the ask waits.

import type { Change, Hunk } from "../src/protocol.ts";
import { button, h } from "./dom.ts";
import type { PageState } from "./state.ts";

const MOST_LINES = 400;

export function changeElement(state: PageState, ts: number, change: Change): HTMLElement {
  const waits = state.waits(ts);
  const head = h(
    "div",
    { class: "file" },
    h("a", { href: "#", title: change.uri, data: { open: change.path, line: String(change.hunks[0]?.startLine ?? 1) } }, change.newPath ? `${change.path} → ${change.newPath}` : change.path),
    h("span", { class: "counts" }, h("span", { class: "plus" }, `+${change.added}`), " ", h("span", { class: "minus" }, `−${change.removed}`)),
    button("Diff", () => state.send({ type: "diff", ts, path: change.path }), { class: "quiet", label: `Open the diff of ${change.path}` }),
  );
  const several = waits && change.hunks.length > 1;
  const hunks = change.hunks.map((hunk, index) => hunkElement(state, ts, hunk, several ? `${index + 1} of ${change.hunks.length}` : undefined));
  return h("div", { class: "change" }, head, ...hunks);
}

function hunkElement(state: PageState, ts: number, hunk: Hunk, place: string | undefined): HTMLElement {
  const decision = state.decisions.get(ts)?.[hunk.id];
  const lines = hunk.lines ?? [];
  const pre = h("pre", { class: "hunk", tabindex: "0", label: `Hunk at line ${hunk.startLine}` }, ...lines.slice(0, MOST_LINES).map(lineElement));
  const cut = lines.length > MOST_LINES ? h("div", { class: "cut" }, `… ${lines.length - MOST_LINES} more lines; open the diff to see them`) : undefined;
  const choice = (wanted: "accept" | "reject", text: string): HTMLElement =>
    button(text, () => state.send({ type: "decide", ts, hunk: hunk.id, decision: wanted }), {
      class: `choice ${wanted}`,
      "aria-pressed": String(decision === wanted),
      label: `${text} hunk at line ${hunk.startLine}`,
    });
  const bar = place ? h("div", { class: "hunk-bar" }, h("span", { class: "dim" }, `Line ${hunk.startLine} · ${place}`), choice("accept", "Accept"), choice("reject", "Reject")) : undefined;
  return h("div", { class: `hunk-box ${decision ?? ""}` }, bar, pre, cut);
}

function lineElement(line: string): HTMLElement {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
  return h("span", { class: `line d-${kind}` }, `${line}\n`);
}
