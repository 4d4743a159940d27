// The word that the user is writing, if something can be offered for it. No page.

export interface Word {
  kind: "@" | "/";
  query: string;
  /** Where it begins, its mark included. */
  start: number;
}

/** What begins with `@` wherever the server takes it for a mention, or is the first word of all and begins with `/`. */
export function wordBefore(before: string): Word | undefined {
  const match = /(?:^|[\s([{<"'*_~,;:|])(@)([^\s@,;|]*)$/.exec(before) ?? /^(\/)(\S*)$/.exec(before);
  const [, kind, query = ""] = match ?? [];
  return kind === "@" || kind === "/" ? { kind, query, start: before.length - query.length - 1 } : undefined;
}
