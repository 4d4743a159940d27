// Going back: to a checkpoint, or to before a message. What that would do is shown first, and it can be taken back.

import * as vscode from "vscode";

import type { Agent } from "./agent.ts";
import { checkpointWords } from "./checkpointWords.ts";
import { choose } from "./pickers.ts";
import type { Restoration, RestoreParams, Rewind } from "./protocol.ts";

/** Back to a checkpoint: the plan is shown before anything is touched. */
export async function pickCheckpoint(agent: Agent): Promise<void> {
  const taskId = agent.task.taskId;
  if (!taskId) {
    return;
  }
  const picked = await choose("Take back what the agent did since", async () => {
    const { checkpoints } = await agent.server.request("agent/checkpoints", { taskId });
    return checkpoints.toReversed().map((one) => ({ ...checkpointWords(one, agent.task.messages), value: one.id }));
  });
  if (picked) {
    await restore(agent, { checkpoint: picked, what: "files" });
  }
}

const PARTS = [
  { label: "Files and conversation", detail: "As it was before this message; your words come back to be changed", value: "both" },
  { label: "Conversation", detail: "The files stay as they are", value: "conversation" },
  { label: "Files", detail: "What was said stays", value: "files" },
  { label: "In a copy", detail: "A new task of what came before; this one and the files stay as they are", value: "fork" },
] as const;

/** Back to before a message: what of it the user wants, the plan, and then the deed. */
export async function pickRestore(agent: Agent, ts: number, only?: "conversation"): Promise<Pick<Rewind, "text" | "images"> | undefined> {
  const what = only ?? (await choose("Go back to before this message", async () => PARTS));
  if (what === "fork") {
    const taskId = agent.task.taskId;
    return taskId === undefined ? undefined : await agent.fork(taskId, ts);
  }
  return what && (await restore(agent, { ts, what }));
}

type Place = ({ checkpoint: string } | { ts: number }) & { what: NonNullable<RestoreParams["what"]> };

/** Says what a restore would do, asks, and does it. */
async function restore(agent: Agent, place: Place): Promise<Rewind | undefined> {
  const taskId = agent.task.taskId;
  if (!taskId) {
    return undefined;
  }
  const plan = await agent.server.request("agent/restore", { taskId, ...place, dryRun: true });
  if (plan.files.length === 0 && plan.conflicts.length === 0 && !plan.rewind?.hidden) {
    void vscode.window.showInformationMessage("There is nothing to take back: nothing has changed since then.");
    return undefined;
  }
  const yes = "Go back";
  const answer = await vscode.window.showWarningMessage("Go back to how it was then?", { modal: true, detail: told(plan) }, yes);
  if (answer !== yes) {
    return undefined;
  }
  const done = await agent.server.request("agent/restore", { taskId, ...place });
  void offerUndo(agent, taskId, done);
  return done.rewind;
}

async function offerUndo(agent: Agent, taskId: string, done: Restoration): Promise<void> {
  const undo = "Undo";
  const files = done.rewind && done.files.length === 0 ? "The conversation is as it was then" : `${done.files.length} files restored`;
  const left = done.conflicts.length ? `, ${done.conflicts.length} left as they are` : "";
  const answer = await vscode.window.showInformationMessage(`${files}${left}.`, ...(done.undo ? [undo] : []));
  if (answer === undo && done.undo) {
    await agent.server.request("agent/restore", { taskId, checkpoint: done.undo, what: done.rewind ? "both" : "files" });
  }
}

function told(plan: Restoration): string {
  const files = plan.files.map((file) => `${file.kind} ${file.path}${file.isMerged ? " (what you changed stays)" : ""}`);
  const conflicts = plan.conflicts.map((file) => `left: ${file.path}: ${file.reason}`);
  const messages = plan.rewind?.hidden ? [`${plan.rewind.hidden} messages are hidden`] : [];
  return [...messages, ...files, ...conflicts].slice(0, 25).join("\n");
}
