// Where a hunk stands: in the file as it is, or in the text that is proposed. Values in, values out: the view asks it, too.

import type { Hunk } from "./protocol.ts";

export type Side = "before" | "after";

/** Lines counted from 0; `behind` is the one after the last. Where a side has no lines of its own, both are the place between two. */
export interface Lines {
  first: number;
  behind: number;
}

const OWN: Record<Side, string> = { before: "-", after: "+" };

/** The lines of one side that a hunk is about, without those that it only shows around them. */
export function linesOf(hunk: Hunk, side: Side): Lines {
  let line = startOf(hunk, side);
  let found: Lines | undefined;
  for (const text of hunk.lines ?? []) {
    const sign = text.charAt(0);
    if (sign === "-" || sign === "+") {
      found ??= { first: line, behind: line };
    }
    if (sign === OWN[side] || sign === " ") {
      line++;
    }
    if (found && sign === OWN[side]) {
      found.behind = line;
    }
  }
  return found ?? { first: line, behind: line };
}

/** The line, counted from 1, at which a reader of the file finds what a hunk changes. */
export function lineNumber(hunk: Hunk): number {
  return linesOf(hunk, "before").first + 1;
}

/** The hunk that a line belongs to. What is only put in between belongs to the lines on both sides of it. */
export function hunkAt(hunks: readonly Hunk[], line: number, side: Side): Hunk | undefined {
  const places = hunks.map((hunk) => ({ hunk, ...linesOf(hunk, side) }));
  const on = places.find(({ first, behind }) => line >= first && line < behind);
  const beside = places.find(({ first, behind }) => first === behind && (line === first || line === first - 1));
  return (on ?? beside)?.hunk;
}

function startOf(hunk: Hunk, side: Side): number {
  const after = /\+(\d+)/.exec(hunk.header)?.[1];
  const number = side === "before" || after === undefined ? hunk.startLine : Number(after);
  return Math.max(number - 1, 0);
}
