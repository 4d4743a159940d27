// Markdown as blocks, fed piece by piece. A block is given out once nothing that comes can change it; what is still open can be
// asked for at any time. No piece of text is looked at again after its block is out.

export type Block =
  | { kind: "paragraph"; text: string }
  | { kind: "heading"; level: number; text: string }
  | { kind: "code"; language: string; text: string }
  | { kind: "list"; items: Item[] }
  | { kind: "quote"; text: string }
  | { kind: "table"; rows: string[][] }
  | { kind: "rule" };

export interface Item {
  depth: number;
  /** The number of an ordered item, else undefined. */
  number: number | undefined;
  task: boolean | undefined;
  text: string;
}

export class BlockReader {
  private lines: string[] = [];
  private rest = "";

  /** The blocks that this text completes. */
  feed(text: string): Block[] {
    const parts = (this.rest + text).split("\n");
    this.rest = parts.pop() ?? "";
    const done: Block[] = [];
    for (const line of parts) {
      if (this.isEndedBy(line)) {
        done.push(...this.take());
      }
      if (line.trim() || this.lines.length) {
        this.lines.push(line);
      }
      if (this.isClosedFence()) {
        done.push(...this.take());
      }
    }
    return done;
  }

  /** What is open now, as it would be if nothing more came. */
  open(): Block[] {
    if (this.rest.trim() && this.isEndedBy(this.rest)) {
      return [...blockIn(this.lines), blockOf([this.rest])];
    }
    return blockIn(this.rest ? [...this.lines, this.rest] : this.lines);
  }

  /** In a fence the text only grows: its view can append instead of making it anew. */
  get isInFence(): boolean {
    return fenceOf(this.lines[0]) !== undefined;
  }

  end(): Block[] {
    const blocks = this.open();
    this.lines = [];
    this.rest = "";
    return blocks;
  }

  private take(): Block[] {
    const lines = this.lines;
    this.lines = [];
    return blockIn(lines);
  }

  private isClosedFence(): boolean {
    const fence = fenceOf(this.lines[0]);
    return fence !== undefined && this.lines.length > 1 && isFenceEnd(this.lines.at(-1) ?? "", fence);
  }

  private isEndedBy(line: string): boolean {
    const first = this.lines[0];
    if (first === undefined || this.isInFence) {
      return false;
    }
    if (isHeading(first) || isRule(first)) {
      return true;
    }
    if (itemOf(first)) {
      return this.endsList(line);
    }
    const startsOther = isHeading(line) || isRule(line) || fenceOf(line) !== undefined || itemOf(line) !== undefined;
    return startsOther || !line.trim() || isQuote(line) !== isQuote(first);
  }

  /** A list goes on over a blank line to its next item, or to a line that is indented under the last. */
  private endsList(line: string): boolean {
    if (!line.trim()) {
      return false;
    }
    const isAfterBlank = !this.lines.at(-1)?.trim();
    const goesOn = itemOf(line) !== undefined || /^\s+/.test(line);
    return isHeading(line) || fenceOf(line) !== undefined || (isAfterBlank && !goesOn);
  }
}

export function blocksOf(text: string): Block[] {
  const reader = new BlockReader();
  return [...reader.feed(text), ...reader.end()];
}

/** The block of these lines, if they say anything. */
function blockIn(lines: string[]): Block[] {
  const isFenced = fenceOf(lines[0]) !== undefined;
  const last = isFenced ? lines.length - 1 : lines.findLastIndex((line) => line.trim());
  return last < 0 ? [] : [blockOf(lines.slice(0, last + 1))];
}

function blockOf(lines: string[]): Block {
  const first = lines[0] ?? "";
  const fence = fenceOf(first);
  if (fence !== undefined) {
    const isClosed = lines.length > 1 && isFenceEnd(lines.at(-1) ?? "", fence);
    const language = first.trim().slice(fence.length).trim().split(/\s/)[0] ?? "";
    return { kind: "code", language, text: lines.slice(1, isClosed ? -1 : undefined).join("\n") };
  }
  if (isHeading(first)) {
    const level = /^#+/.exec(first)?.[0].length ?? 1;
    return { kind: "heading", level, text: first.slice(level).replace(/\s#+\s*$/, "").trim() };
  }
  if (isRule(first)) {
    return { kind: "rule" };
  }
  if (itemOf(first)) {
    return { kind: "list", items: itemsOf(lines) };
  }
  if (isQuote(first)) {
    return { kind: "quote", text: lines.map((line) => line.replace(/^\s*>\s?/, "")).join("\n") };
  }
  return tableOf(lines) ?? { kind: "paragraph", text: lines.map((line) => line.trim()).join("\n") };
}

function fenceOf(line: string | undefined): string | undefined {
  return /^\s{0,3}(`{3,}|~{3,})/.exec(line ?? "")?.[1];
}

function isFenceEnd(line: string, fence: string): boolean {
  const end = /^\s{0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return end !== undefined && end[0] === fence[0] && end.length >= fence.length;
}

function isHeading(line: string): boolean {
  return /^#{1,6}\s/.test(line);
}

function isRule(line: string): boolean {
  return /^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line);
}

function isQuote(line: string): boolean {
  return /^\s{0,3}>/.test(line);
}

function itemOf(line: string): Item | undefined {
  const match = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(?:\[([ xX-])\]\s+)?(.*)$/.exec(line);
  if (!match) {
    return undefined;
  }
  const [, indent = "", number, box, text = ""] = match;
  return {
    depth: Math.min(Math.floor(indent.replaceAll("\t", "    ").length / 2), 6),
    number: number === undefined ? undefined : Number(number),
    task: box === undefined ? undefined : /[xX]/.test(box),
    text,
  };
}

function itemsOf(lines: string[]): Item[] {
  const items: Item[] = [];
  for (const line of lines) {
    const item = itemOf(line);
    const last = items.at(-1);
    if (item) {
      items.push(item);
    } else if (last && line.trim()) {
      last.text += `\n${line.trim()}`;
    }
  }
  return items;
}

function tableOf(lines: string[]): Block | undefined {
  const [head, dashes, ...body] = lines;
  if (!head?.includes("|") || !/^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(dashes ?? "") || !dashes?.includes("-")) {
    return undefined;
  }
  return { kind: "table", rows: [head, ...body].map(cellsOf) };
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}
