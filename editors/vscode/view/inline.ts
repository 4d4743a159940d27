// Inline Markdown as pieces: what a line of prose is made of. Pictures become links, since nothing here fetches.

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "em" | "del"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] };

const DEEPEST = 8;
const LONGEST_TARGET = 1000;
const MARK = /`+|\*\*|__|\*|_|~~|!?\[|<https?:|https?:\/\/|\\/g;

/** One pass; a mark that is never closed is text. */
export function inline(source: string, depth = 0): Inline[] {
  const pieces: Inline[] = [];
  let plain = "";
  let at = 0;
  // A closing mark that was looked for in vain is not there further on either: this keeps long lines linear.
  const missing = new Set<string>();
  for (;;) {
    MARK.lastIndex = at;
    const match = MARK.exec(source);
    if (!match) {
      break;
    }
    plain += source.slice(at, match.index);
    const [mark] = match;
    const found = depth < DEEPEST && !missing.has(mark) ? pieceAt(source, match.index, mark, depth) : undefined;
    if (typeof found === "object") {
      pieces.push(...textPiece(plain), found.piece);
      plain = "";
      at = found.end;
      continue;
    }
    if (found === "never") {
      missing.add(mark);
    }
    const escaped = mark === "\\" ? (/^[\\`*_~[\]()<>#!|-]/.exec(source.slice(match.index + 1, match.index + 2))?.[0] ?? "") : "";
    plain += escaped || mark;
    at = match.index + mark.length + escaped.length;
  }
  return [...pieces, ...textPiece(plain + source.slice(at))];
}

function textPiece(text: string): Inline[] {
  return text ? [{ kind: "text", text }] : [];
}

interface Found {
  piece: Inline;
  end: number;
}

/** A piece; nothing here; or nothing from here on to the end. */
type Result = Found | "never" | undefined;

function pieceAt(source: string, start: number, mark: string, depth: number): Result {
  if (mark.startsWith("`")) {
    return code(source, start, mark);
  }
  if (mark === "**" || mark === "__") {
    return enclosed(source, start, mark, "strong", depth);
  }
  if (mark === "*" || mark === "_") {
    return enclosed(source, start, mark, "em", depth);
  }
  if (mark === "~~") {
    return enclosed(source, start, mark, "del", depth);
  }
  if (mark.endsWith("[")) {
    return link(source, start + mark.length, depth);
  }
  return mark === "\\" ? undefined : bareLink(source, start, mark);
}

function code(source: string, start: number, mark: string): Result {
  const from = start + mark.length;
  for (let end = source.indexOf(mark, from); end >= 0; end = source.indexOf(mark, end)) {
    let length = mark.length;
    while (source[end + length] === "`") {
      length++;
    }
    if (length === mark.length) {
      const text = source.slice(from, end);
      return { piece: { kind: "code", text: /^ .*[^ ].* $/s.test(text) ? text.slice(1, -1) : text }, end: end + length };
    }
    end += length;
  }
  return "never";
}

function enclosed(source: string, start: number, mark: string, kind: "strong" | "em" | "del", depth: number): Result {
  const from = start + mark.length;
  const isWordMark = mark.startsWith("_");
  if (/\s/.test(source[from] ?? " ") || (isWordMark && /\w/.test(source[start - 1] ?? ""))) {
    return undefined;
  }
  for (let end = source.indexOf(mark, from + 1); end >= 0; end = source.indexOf(mark, end + 1)) {
    const isPartOfLonger = mark.length === 1 && (source[end + 1] === mark || source[end - 1] === mark);
    const isInWord = isWordMark && /\w/.test(source[end + mark.length] ?? "");
    if (!/\s/.test(source[end - 1] ?? " ") && !isPartOfLonger && !isInWord) {
      return { piece: { kind, children: inline(source.slice(from, end), depth + 1) }, end: end + mark.length };
    }
  }
  return "never";
}

function link(source: string, from: number, depth: number): Result {
  const bracket = /[[\]]/g;
  bracket.lastIndex = from;
  const middle = bracket.exec(source)?.index ?? -1;
  if (middle < 0 || !source.startsWith("](", middle)) {
    return middle < 0 ? "never" : undefined;
  }
  const end = closingParenthesis(source, middle + 2);
  if (end < 0) {
    return "never";
  }
  const href = source.slice(middle + 2, end).trim().split(/\s/)[0] ?? "";
  const children = inline(source.slice(from, middle) || href, depth + 1);
  return { piece: { kind: "link", href, children }, end: end + 1 };
}

/** The end of a link's target, which may hold pairs of its own; where they do not match, the first there is. */
function closingParenthesis(source: string, from: number): number {
  const parenthesis = /[()]/g;
  let depth = 0;
  parenthesis.lastIndex = from;
  for (let match = parenthesis.exec(source); match && match.index - from < LONGEST_TARGET; match = parenthesis.exec(source)) {
    if (match[0] === ")" && depth === 0) {
      return match.index;
    }
    depth += match[0] === "(" ? 1 : -1;
  }
  return source.indexOf(")", from);
}

function bareLink(source: string, start: number, mark: string): Found {
  const isBracketed = mark.startsWith("<");
  const rest = source.slice(start + (isBracketed ? 1 : 0));
  const href = (/^[^\s<>]+/.exec(rest)?.[0] ?? "").replace(isBracketed ? /$^/ : /[.,;:!?)\]'"]+$/, "");
  const end = start + (isBracketed ? 1 : 0) + href.length;
  const isClosed = isBracketed && source[end] === ">";
  return { piece: { kind: "link", href, children: [{ kind: "text", text: href }] }, end: isClosed ? end + 1 : end };
}
