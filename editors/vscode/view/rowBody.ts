// What is inside a row: its parts, and how it takes what is appended to its message.

import type { Child } from "./dom.ts";

export interface Body {
  nodes: readonly Child[];
  /** Appends what came; false where the row has to be made anew. */
  grow?: (append: string) => boolean;
}
