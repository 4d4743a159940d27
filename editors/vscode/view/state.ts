// What the page knows: the messages of the task by `ts`, its status, and the way back to the extension.

import type { FromView, Home, ServerState } from "../src/messages.ts";
import type { Message, QueuedWords, Status } from "../src/protocol.ts";
import type { HunkDecision } from "../src/task.ts";

export class PageState {
  readonly messages = new Map<number, Message>();
  readonly decisions = new Map<number, Record<string, HunkDecision>>();
  /** Rows that the reader opened or closed, against what they are by themselves. */
  readonly toggled = new Set<string>();
  status: Status | undefined;
  hasMore = false;
  server: ServerState = "starting";
  methods: readonly string[] = [];
  folders: readonly string[] = [];
  home: Home = { tasks: [] };
  queue: readonly QueuedWords[] = [];
  /** Takes the words out of the prompt: they go with the button that is pressed. */
  takeWords: () => string = () => "";

  constructor(readonly send: (message: FromView) => void) {}

  waits(ts: number): boolean {
    return this.status?.ask?.ts === ts;
  }

  isOpen(key: string, byItself: boolean): boolean {
    return this.toggled.has(key) ? !byItself : byItself;
  }

  toggle(key: string): void {
    if (!this.toggled.delete(key)) {
      this.toggled.add(key);
    }
  }
}
