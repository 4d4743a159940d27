// A change as its hunks, each with its own accept and reject while the ask waits.

import { lineNumber } from "../src/hunks.ts";
import type { Change, Hunk } from "../src/protocol.ts";
import { diffLines, type DiffLine } from "./diffParts.ts";
import { button, h } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";
import type { PageState } from "./state.ts";

const MOST_LINES = 400;
const KINDS: Record<Change["kind"], { verb: string; icon: IconName }> = {
  create: { verb: "Create", icon: "create" },
  edit: { verb: "Edit", icon: "edit" },
  delete: { verb: "Delete", icon: "remove" },
  rename: { verb: "Rename", icon: "file" },
};

export function changeElement(state: PageState, ts: number, change: Change): HTMLElement {
  const several = state.waits(ts) && change.hunks.length > 1;
  const hunks = change.hunks.map((hunk, index) => hunkElement(state, ts, hunk, several ? `${index + 1} of ${change.hunks.length}` : undefined));
  return h("div", { class: "change" }, fileHead(state, ts, change), ...hunks);
}

function fileHead(state: PageState, ts: number, change: Change): HTMLElement {
  const { verb, icon: name } = KINDS[change.kind];
  const [first] = change.hunks;
  const line = String(first ? lineNumber(first) : 1);
  return h(
    "div",
    { class: "file" },
    icon(name),
    h("span", { class: "verb" }, verb),
    h("a", { href: "#", title: change.uri, data: { open: change.path, line } }, pathNodes(change.newPath ? `${change.path} → ${change.newPath}` : change.path)),
    countsElement(change),
    button("Diff", () => state.send({ type: "diff", ts, path: change.path }), { class: "quiet", label: `Open the diff of ${change.path}` }),
  );
}

/** How many lines come and go: only what there is of both. */
export function countsElement({ added, removed }: { added: number; removed: number }): HTMLElement {
  const plus = added > 0 && h("span", { class: "plus" }, `+${added}`);
  const minus = removed > 0 && h("span", { class: "minus" }, `−${removed}`);
  return h("span", { class: "counts" }, plus, plus && minus && " ", minus);
}

/** The end of a path says most: what is cut is its beginning. */
function pathNodes(path: string): HTMLElement {
  return h("bdi", {}, path);
}

function hunkElement(state: PageState, ts: number, hunk: Hunk, place: string | undefined): HTMLElement {
  const decision = state.decisions.get(ts)?.[hunk.id];
  const line = lineNumber(hunk);
  const lines = hunk.lines ?? [];
  const pre = h("pre", { class: "hunk", tabindex: "0", label: `Hunk at line ${line}` }, ...diffLines(lines.slice(0, MOST_LINES)).map(lineElement));
  const cut = lines.length > MOST_LINES ? h("div", { class: "cut" }, `… ${lines.length - MOST_LINES} more lines; open the diff to see them`) : undefined;
  const choice = (wanted: "accept" | "reject", text: string): HTMLElement =>
    button(text, () => state.send({ type: "decide", ts, hunk: hunk.id, decision: wanted }), {
      class: `choice ${wanted}`,
      "aria-pressed": String(decision === wanted),
      label: `${text} hunk at line ${line}`,
    });
  const bar = place ? h("div", { class: "hunk-bar" }, h("span", { class: "dim" }, `Line ${line} · ${place}`), choice("accept", "Accept"), choice("reject", "Reject")) : undefined;
  return h("div", { class: `hunk-box ${decision ?? ""}` }, bar, pre, cut);
}

const SIGNS = { added: "+", removed: "-", same: " " };

function lineElement(line: DiffLine): HTMLElement {
  const changed = line.changed ? h("span", { class: "changed" }, line.changed) : undefined;
  return h("span", { class: `line d-${line.kind}` }, SIGNS[line.kind], line.head, changed, `${line.tail}\n`);
}
