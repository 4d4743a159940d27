// The task on the screen, as the server told it: messages by `ts`, the newest status, and what was decided of hunks so far.
// No editor and no view in here, so that it is tested as it is.

import type { AskResponseParams, DeletedMessage, DeltaNotice, Message, ServerNotifications, Snapshot, Status } from "./protocol.ts";

export type HunkDecision = "accept" | "reject";

export type YesOrNo = Extract<AskResponseParams["response"], "yesButtonClicked" | "noButtonClicked">;

/** What changed, for whoever shows it. */
export type TaskEvent =
  | { type: "snapshot" }
  | { type: "message"; message: Message }
  | { type: "deleted"; ts: number }
  | { type: "delta"; ts: number; append: string }
  | { type: "status"; status: Status }
  | { type: "decisions"; ts: number; hunks: Record<string, HunkDecision> };

export class Task {
  private byTs = new Map<number, Message>();
  private order: number[] = [];
  private decided = new Map<number, Record<string, HunkDecision>>();
  status: Status | undefined;
  hasMore = false;

  constructor(private readonly emit: (event: TaskEvent) => void) {}

  get taskId(): string | undefined {
    return this.status?.taskId;
  }

  get messages(): Message[] {
    return this.order.flatMap((ts) => this.byTs.get(ts) ?? []);
  }

  message(ts: number): Message | undefined {
    return this.byTs.get(ts);
  }

  /** The ask that waits, if one does. */
  get waiting(): Message | undefined {
    const ask = this.status?.ask;
    return ask ? this.byTs.get(ask.ts) : undefined;
  }

  load(snapshot: Snapshot): void {
    const messages = snapshot.messages.filter(isKept);
    this.byTs = new Map(messages.map((message) => [message.ts, message]));
    this.order = messages.map((message) => message.ts);
    this.decided.clear();
    this.hasMore = snapshot.hasMore;
    this.status = "taskId" in snapshot ? statusOf(snapshot) : undefined;
    this.emit({ type: "snapshot" });
  }

  /** Older messages, asked for by scrolling up. */
  prepend(messages: Snapshot["messages"], hasMore: boolean): void {
    const older = messages.filter(isKept).filter((message) => !this.byTs.has(message.ts));
    for (const message of older) {
      this.byTs.set(message.ts, message);
    }
    this.order = [...older.map((message) => message.ts), ...this.order];
    this.hasMore = hasMore;
    this.emit({ type: "snapshot" });
  }

  clear(): void {
    this.load({ state: "no_task", messages: [], seq: 0, hasMore: false });
  }

  receive(notice: ServerNotifications["agent/message"][0]): void {
    if (notice.taskId !== this.taskId) {
      return;
    }
    const message = notice.message;
    if (!isKept(message)) {
      this.byTs.delete(message.ts);
      this.order = this.order.filter((ts) => ts !== message.ts);
      this.emit({ type: "deleted", ts: message.ts });
      return;
    }
    if (!this.byTs.has(message.ts)) {
      this.order.push(message.ts);
    }
    this.byTs.set(message.ts, message);
    this.emit({ type: "message", message });
  }

  grow(notice: DeltaNotice): void {
    const message = notice.taskId === this.taskId ? this.byTs.get(notice.ts) : undefined;
    if (message) {
      this.byTs.set(notice.ts, { ...message, text: (message.text ?? "") + notice.append });
      this.emit({ type: "delta", ts: notice.ts, append: notice.append });
    }
  }

  /** A status of this task; one of another task is not ours to show. */
  become(status: Status): boolean {
    if (this.status && status.taskId !== this.status.taskId) {
      return false;
    }
    this.status = status;
    this.emit({ type: "status", status });
    return true;
  }

  decisions(ts: number): Record<string, HunkDecision> {
    return this.decided.get(ts) ?? {};
  }

  decide(ts: number, hunk: string, decision: HunkDecision): void {
    const hunks = { ...this.decisions(ts), [hunk]: decision };
    this.decided.set(ts, hunks);
    this.emit({ type: "decisions", ts, hunks });
  }
}

function isKept(message: Message | DeletedMessage): message is Message {
  return !("deleted" in message);
}

function statusOf(snapshot: Extract<Snapshot, Status>): Status {
  const { messages: _messages, hasMore: _hasMore, ...status } = snapshot;
  return status;
}
