// How a place is written in words, so that the server reads it back. No editor in here.

import type { Attachment } from "./messages.ts";
import type { Range } from "./protocol.ts";

/** What needs no quotes: in it a blank is escaped, and its end is not taken for a sentence's. */
const PLAIN = /^[\p{L}\p{N}_./ +-]*[\p{L}\p{N}_/]$/u;
const WHOLE = /^(\/|[a-z]:[\\/])/i;

/** Whether a path says by itself where it is, and not only within a folder. */
export function isWhole(path: string): boolean {
  return WHOLE.test(path);
}

/** A path of the workspace, or a whole one, and lines of it. */
export function mention(path: string, range?: Range): string {
  const name = path.replaceAll("\\", "/");
  const full = isWhole(name) ? name : `/${name}`;
  const written = PLAIN.test(full) ? full.replaceAll(" ", "\\ ") : `"${full.replaceAll('"', '\\"')}"`;
  return `@${written}${range ? linesOf(range) : ""}`;
}

/** Words with the places that go with them, for where only words are taken. */
export function withMentions(text: string, places: readonly Attachment[]): string {
  const mentions = places.map(({ label, range }) => mention(label, range)).join(" ");
  return [text, mentions].filter(Boolean).join("\n\n");
}

/** Counted from 1; a line of which nothing is in the range, since that ends before its first character, is not one of them. */
function linesOf({ start, end }: Range): string {
  const first = start.line + 1;
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return first === last ? `:${first}` : `:${first}-${last}`;
}
