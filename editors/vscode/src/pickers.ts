// Lists to choose from: checkpoints, modes, profiles, and what may run unasked.

import * as vscode from "vscode";

import type { Agent } from "./agent.ts";
import type { PermissionMode, Restoration, RestoreParams, Rewind } from "./protocol.ts";
import { rememberOffer } from "./toolAsk.ts";

interface Row<T> extends vscode.QuickPickItem {
  value: T;
}

/** Back to a checkpoint: the plan is shown before anything is touched. */
export async function pickCheckpoint(agent: Agent): Promise<void> {
  const taskId = agent.task.taskId;
  if (!taskId) {
    return;
  }
  const picked = await choose("Take back what the agent did since", async () => {
    const { checkpoints } = await agent.server.request("agent/checkpoints", { taskId });
    return checkpoints.toReversed().map((one) => ({
      label: new Date(one.ts).toLocaleTimeString(),
      description: `before ${one.reason === "message" ? "your message" : `a ${one.reason}`}`,
      value: one.id,
    }));
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
export async function pickRestore(agent: Agent, ts: number): Promise<Pick<Rewind, "text" | "images"> | undefined> {
  const what = await choose("Go back to before this message", async () => PARTS);
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
  const files = `${done.files.length} files restored`;
  const left = done.conflicts.length ? `, ${done.conflicts.length} left as they are` : "";
  const answer = await vscode.window.showInformationMessage(`${files}${left}.`, ...(done.undo ? [undo] : []));
  if (answer === undo && done.undo) {
    await agent.server.request("agent/restore", { taskId, checkpoint: done.undo, what: done.rewind ? "both" : "files" });
  }
}

const SCOPES = [
  { label: "In this task", value: "task" },
  { label: "In this project", value: "project" },
  { label: "In all projects", value: "user" },
] as const;

/** A yes that holds from now on: for what is shown, as far as the user says. */
export async function rememberAnswer(agent: Agent, ts: number): Promise<void> {
  const offered = rememberOffer(agent.task.message(ts));
  const scope = offered && (await choose(`Always allow ${offered}`, async () => SCOPES));
  if (scope) {
    await agent.answer(ts, "yesButtonClicked", undefined, undefined, scope);
  }
}

function told(plan: Restoration): string {
  const files = plan.files.map((file) => `${file.kind} ${file.path}${file.isMerged ? " (what you changed stays)" : ""}`);
  const conflicts = plan.conflicts.map((file) => `left: ${file.path}: ${file.reason}`);
  const messages = plan.rewind?.hidden ? [`${plan.rewind.hidden} messages are hidden`] : [];
  return [...messages, ...files, ...conflicts].slice(0, 25).join("\n");
}

const PERMISSIONS = [
  { label: "plan", detail: "Reads; nothing is changed or run" },
  { label: "default", detail: "Reads in the workspace; asks before every change and every command" },
  { label: "acceptEdits", detail: "Edits in the workspace, too" },
  { label: "bypassPermissions", detail: "All but what you denied, and writes outside the workspace or to protected files" },
] as const;

export async function pickPermissions(agent: Agent): Promise<PermissionMode | undefined> {
  const current = agent.task.status?.permissionMode;
  const rows = PERMISSIONS.map((one) => ({ ...one, description: one.label === current ? "current" : "", value: one.label }));
  const picked = await choose("What runs unasked", async () => rows);
  if (picked) {
    await agent.server.request("agent/setPermissionMode", { ...currentTask(agent), permissionMode: picked });
  }
  return picked;
}

/** Modes and profiles are listed by the server; one that does not list them has nothing to choose from. */
export async function pickListed(agent: Agent, what: "Mode" | "Profile"): Promise<void> {
  const list = `agent/list${what}s`;
  const set = `agent/set${what}`;
  if (!agent.server.knows(list) || !agent.server.knows(set)) {
    void vscode.window.showInformationMessage(`This version of the server has one ${what.toLowerCase()} only.`);
    return;
  }
  const key = what.toLowerCase();
  const picked = await choose(`Choose a ${key}`, async () => listed(await request(agent, list, currentTask(agent)), key));
  if (picked) {
    await request(agent, set, { ...currentTask(agent), [key]: picked });
  }
}

interface Listed {
  slug?: string;
  name?: string;
  description?: string;
  type?: string;
  model?: string;
  isCurrent?: boolean;
  problem?: string;
}

function listed(result: unknown, key: string): Row<string>[] {
  const rows = (result as Record<string, Listed[]>)[`${key}s`] ?? [];
  return rows.map((row) => ({
    label: row.name ?? row.slug ?? "",
    description: row.isCurrent ? "current" : "",
    detail: row.problem ?? row.description ?? [row.type, row.model].filter(Boolean).join(", "),
    value: row.slug ?? row.name ?? "",
  }));
}

function request(agent: Agent, method: string, params: object): Promise<unknown> {
  // The table of methods is that of this protocol; these two came later than some servers.
  return agent.server.request(method as "agent/setMode", params as { mode: string });
}

function currentTask(agent: Agent): { taskId?: string } {
  return agent.task.taskId ? { taskId: agent.task.taskId } : {};
}

async function choose<T>(title: string, rows: () => Promise<readonly Row<T>[]>): Promise<T | undefined> {
  const picked = await vscode.window.showQuickPick(rows(), { title, matchOnDetail: true });
  return picked?.value;
}
