// What the user does to the task: start it, answer it, stop it, bring another one back. The server decides; this only asks it.

import * as vscode from "vscode";
import { ResponseError } from "vscode-languageclient/node";

import { closePreviews } from "./changes.ts";
import { withMentions } from "./mentions.ts";
import type { Attachment, ToView } from "./messages.ts";
import type { AskResponseParams, ForkedTask, NewTaskParams, QueuedWords, Scope } from "./protocol.ts";
import type { Server } from "./server.ts";
import { type HunkDecision, Task, type TaskEvent } from "./task.ts";
import { changesOf } from "./toolAsk.ts";

type Response = AskResponseParams["response"];

const PAGE = 1000;
const TAKE_OVER_TRIES = 20;
const TAKE_OVER_MS = 500;

export class Agent {
  readonly task: Task;
  private coming: { taskId: string; shown: Promise<void> } | undefined;

  constructor(
    readonly server: Server,
    listen: (event: TaskEvent) => void,
    private readonly tellContext: () => void,
  ) {
    this.task = new Task(listen);
    server.listen("agent/message", (notice) => this.task.receive(notice));
    server.listen("agent/messageDelta", (notice) => this.task.grow(notice));
    server.listen("agent/state", (status) => void this.statusChanged(status.taskId, () => this.task.become(status)));
  }

  /** Takes up what the server has: its current task, or the one that was here before the window or the server was started anew. */
  async reconnect(previous: string | undefined): Promise<void> {
    const snapshot = await this.server.request("agent/state", { limit: PAGE });
    if ("taskId" in snapshot || !previous) {
      this.task.load(snapshot);
      return;
    }
    try {
      await this.takeOver(previous);
    } catch (error) {
      this.task.load(snapshot);
      throw error;
    }
  }

  /** The server of the window that was here before may still be ending, and keeps its task until it has. */
  private async takeOver(taskId: string): Promise<void> {
    const before = this.task.taskId;
    for (let left = TAKE_OVER_TRIES; this.task.taskId === before; left--) {
      try {
        return await this.resume(taskId);
      } catch (error) {
        if (left === 0 || kindOf(error) !== "TaskBusy") {
          throw error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, TAKE_OVER_MS));
    }
  }

  async newTask(text: string, images: readonly string[] = [], attachments: readonly Attachment[] = []): Promise<void> {
    this.tellContext();
    const params: NewTaskParams = { text, clientRequestId: crypto.randomUUID() };
    if (images.length) {
      params.images = [...images];
    }
    if (attachments.length) {
      params.context = attachments.map(({ uri, range }) => ({ uri, ...(range && { range }) }));
    }
    const { taskId } = await this.server.request("agent/newTask", params);
    await this.show(taskId);
  }

  /** Words for the task: an answer where an ask wants words, else a message; without a task, a new one. */
  async send(text: string, images: readonly string[], places: readonly Attachment[]): Promise<void> {
    const { taskId, status } = this.task;
    if (!taskId) {
      await this.newTask(text, images, places);
      return;
    }
    const words = withMentions(text, places);
    if (status?.ask && takesWords(status.ask.kind) && (await this.answer(status.ask.ts, "messageResponse", words, images))) {
      return;
    }
    this.tellContext();
    // Somebody else may have answered that ask: what was said to it is still to be heard.
    const delivery = this.task.status?.ask ? "queue" : "steer";
    await this.server.request("agent/sendMessage", { taskId, text: words, images: [...images], delivery });
  }

  /** Whether it was in time: only the first answer counts. */
  async answer(ts: number, response: Response, text?: string, images?: readonly string[], remember?: Scope): Promise<boolean> {
    const taskId = this.task.taskId;
    if (!taskId) {
      return false;
    }
    if (text) {
      this.tellContext();
    }
    const hunks = this.task.decisions(ts);
    const isPartial = response === "yesButtonClicked" && Object.values(hunks).includes("reject");
    const params: AskResponseParams = {
      taskId,
      ts,
      response,
      ...(text && { text }),
      ...(images?.length && { images: [...images] }),
      ...(isPartial && { hunks }),
      ...(remember && { remember: { scope: remember } }),
    };
    if (response === "yesButtonClicked" && changesOf(this.task.message(ts)).length) {
      await closePreviews();
    }
    const { accepted } = await this.server.request("agent/askResponse", params);
    if (!accepted) {
      void vscode.window.setStatusBarMessage("Agent: that was answered already", 3000);
    }
    return accepted;
  }

  /** Notes what is to become of one hunk; the last one answers the ask. */
  async decide(ts: number, hunk: string, decision: HunkDecision): Promise<void> {
    this.task.decide(ts, hunk, decision);
    const decided = this.task.decisions(ts);
    const all = changesOf(this.task.message(ts)).flatMap((change) => change.hunks.map(({ id }) => id));
    if (all.length > 0 && all.every((id) => id in decided)) {
      const isRejected = all.every((id) => decided[id] === "reject");
      await this.answer(ts, isRejected ? "noButtonClicked" : "yesButtonClicked");
    }
  }

  async cancel(): Promise<void> {
    if (this.task.taskId) {
      await this.server.request("agent/cancelTask", { taskId: this.task.taskId });
    }
  }

  async clear(): Promise<void> {
    if (this.task.taskId) {
      await this.server.request("agent/clearTask", { taskId: this.task.taskId });
      this.task.clear();
    }
  }

  async resume(taskId: string): Promise<void> {
    await this.server.request("agent/resumeTask", { taskId });
    await this.show(taskId);
  }

  /** A new task of what came before a message, or of all of it, on the screen instead of this one. */
  async fork(taskId: string, ts?: number): Promise<ForkedTask> {
    const forked = await this.server.request("agent/forkTask", { taskId, ...(ts !== undefined && { ts }) });
    await this.show(forked.taskId);
    return forked;
  }

  async remove(taskId: string): Promise<void> {
    await this.server.request("agent/deleteTask", { taskId });
    if (taskId === this.task.taskId) {
      this.task.clear();
    }
  }

  /** Makes room in the context now, instead of when it is full. */
  async condense(): Promise<void> {
    if (this.task.taskId && this.server.knows("agent/condense")) {
      await this.server.request("agent/condense", { taskId: this.task.taskId });
    }
  }

  /** Takes words out of the queue and gives them back, if they still waited. */
  async unqueue(messageId: string): Promise<QueuedWords | undefined> {
    const taskId = this.task.taskId;
    if (!taskId) {
      return undefined;
    }
    const { words } = await this.server.request("agent/queue", { taskId, op: "list" });
    await this.server.request("agent/queue", { taskId, op: "remove", messageId });
    return words.find((one) => one.messageId === messageId);
  }

  async older(before: number): Promise<void> {
    const taskId = this.task.taskId;
    if (taskId && this.task.hasMore) {
      const page = await this.server.request("agent/state", { taskId, before, limit: PAGE });
      // Another task may be on the screen by now.
      if (taskId === this.task.taskId) {
        this.task.prepend(page.messages, page.hasMore);
      }
    }
  }

  async terminal(ts: number, operation: "continue" | "abort"): Promise<void> {
    if (this.task.taskId) {
      await this.server.request("agent/terminalOperation", { taskId: this.task.taskId, ts, operation });
    }
  }

  /** An action of an ask that is no answer but a method: done with the task, for instance. */
  async call(method: string): Promise<void> {
    const taskId = this.task.taskId;
    if (method === "agent/clearTask") {
      await this.clear();
    } else if (taskId && (method === "agent/cancelTask" || method === "agent/resumeTask")) {
      await this.server.request(method, { taskId });
    }
  }

  /** Brings a task to the screen, once for all that want it meanwhile. */
  async show(taskId: string): Promise<void> {
    if (this.coming?.taskId !== taskId) {
      const shown = this.bring(taskId).finally(() => {
        if (this.coming?.shown === shown) {
          this.coming = undefined;
        }
      });
      this.coming = { taskId, shown };
    }
    await this.coming?.shown;
  }

  private async bring(taskId: string): Promise<void> {
    this.task.load(await this.server.request("agent/state", { taskId, limit: PAGE }));
  }

  snapshot(): ToView {
    const waiting = this.task.waiting;
    return {
      type: "snapshot",
      status: this.task.status,
      messages: this.task.messages,
      hasMore: this.task.hasMore,
      decisions: waiting ? { [waiting.ts]: this.task.decisions(waiting.ts) } : {},
    };
  }

  private async statusChanged(taskId: string, become: () => boolean): Promise<void> {
    // A task that another client started comes to the screen where none is.
    if (!this.task.taskId) {
      await this.show(taskId);
    } else {
      become();
    }
  }
}

function takesWords(kind: string): boolean {
  return !["tool", "command", "browser_action_launch", "use_mcp_server", "auto_approval_max_req_reached"].includes(kind);
}

/** What kind of error the server answered, as it names it. */
function kindOf(error: unknown): string | undefined {
  const data = error instanceof ResponseError ? (error.data as { kind?: string } | undefined) : undefined;
  return data?.kind;
}
