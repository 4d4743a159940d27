// What is inside a row: its parts, and how it takes what is appended to its message.

import type { Message } from "../src/protocol.ts";
import type { Child } from "./dom.ts";

export interface Body {
  nodes: readonly Child[];
  /** Appends what came; false where the row has to be made anew. */
  grow?: (append: string) => boolean;
  /** Shows the message as it is now; false where the row has to be made anew. What is under the pointer stays there. */
  renew?: (message: Message) => boolean;
}
