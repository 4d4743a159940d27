// Which part of a line changed: removed and added lines that stand against each other are compared from both ends.

export interface DiffLine {
  kind: "added" | "removed" | "same";
  /** The line without its sign: before what changed, what changed, and what comes after it. */
  head: string;
  changed: string;
  tail: string;
}

/** The lines of a hunk, each with its first character as the sign that it is in a unified diff. */
export function diffLines(lines: readonly string[]): DiffLine[] {
  const read = lines.map(lineOf);
  for (let at = 0; at < read.length; ) {
    const removed = runFrom(read, at, "removed");
    const added = runFrom(read, at + removed, "added");
    if (removed > 0 && removed === added) {
      for (let n = 0; n < removed; n++) {
        compare(read[at + n], read[at + removed + n]);
      }
    }
    at += Math.max(removed + added, 1);
  }
  return read;
}

function lineOf(line: string): DiffLine {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
  return { kind, head: line.slice(1), changed: "", tail: "" };
}

function runFrom(lines: readonly DiffLine[], start: number, kind: DiffLine["kind"]): number {
  let end = start;
  while (lines[end]?.kind === kind) {
    end++;
  }
  return end - start;
}

/** Marks what differs, where enough is alike that this says more than the two lines do. */
function compare(before: DiffLine | undefined, after: DiffLine | undefined): void {
  if (!before || !after) {
    return;
  }
  const [a, b] = [before.head, after.head];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) {
    start++;
  }
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) {
    end++;
  }
  start -= isInPair(a, start) ? 1 : 0;
  end -= isInPair(a, a.length - end) ? 1 : 0;
  if (start + end >= most / 3) {
    divide(before, start, end);
    divide(after, start, end);
  }
}

/** Whether here is the middle of a character that takes two places. */
function isInPair(text: string, at: number): boolean {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "");
}

function divide(line: DiffLine, start: number, end: number): void {
  const text = line.head;
  line.head = text.slice(0, start);
  line.changed = text.slice(start, text.length - end);
  line.tail = text.slice(text.length - end);
}
