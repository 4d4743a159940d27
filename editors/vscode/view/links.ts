// Where a link of a message leads, if that is a file. No page.

export interface Place {
  path: string;
  /** Counted from 1. */
  line: number | undefined;
}

const PLACE = /^((?:[a-z]:[\\/])?[^:#?]+)(?:(?::|#L?)(\d+)(?:[:C]\d+)?(?:-L?\d+(?:[:C]\d+)?)?)?$/i;

/** A path, and the line where it is said as `:3`, `:3:1`, `:3-5`, `#3`, `#L3` or `#L3-L5`. */
export function placeOf(href: string): Place | undefined {
  const [, path, line] = PLACE.exec(decoded(href.replace(/^file:\/\//i, ""))) ?? [];
  return path ? { path, line: line === undefined ? undefined : Number(line) } : undefined;
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
