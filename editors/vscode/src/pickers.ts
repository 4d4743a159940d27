// Lists to choose from: earlier tasks, checkpoints, modes, profiles, and what may run unasked.

import * as vscode from "vscode";

import type { Agent } from "./agent.ts";
import type { Restoration, TaskSummary } from "./protocol.ts";

interface Row<T> extends vscode.QuickPickItem {
  value: T;
}

export async function pickTask(agent: Agent): Promise<void> {
  const picked = await choose("Go back to a task", async () => {
    const { tasks } = await agent.server.request("agent/listTasks", { limit: 200 });
    return tasks.map(taskRow);
  });
  if (picked) {
    await agent.resume(picked);
  }
}

function taskRow(task: TaskSummary): Row<string> {
  const cost = task.usage.cost === null ? "" : ` · $${task.usage.cost.toFixed(2)}`;
  return {
    label: task.title || "(no title)",
    description: task.state === "idle" ? "" : task.state.replaceAll("_", " "),
    detail: new Date(task.ts).toLocaleString() + cost,
    value: task.taskId,
  };
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
    await restore(agent, { checkpoint: picked });
  }
}

/** Says what a restore would do, asks, and does it. */
export async function restore(agent: Agent, place: { checkpoint: string } | { ts: number }): Promise<void> {
  const taskId = agent.task.taskId;
  if (!taskId) {
    return;
  }
  const plan = await agent.server.request("agent/restore", { taskId, ...place, dryRun: true });
  if (plan.files.length === 0 && plan.conflicts.length === 0) {
    void vscode.window.showInformationMessage("The agent has changed nothing since then.");
    return;
  }
  const yes = "Restore";
  const answer = await vscode.window.showWarningMessage("Take back what the agent did since then?", { modal: true, detail: told(plan) }, yes);
  if (answer !== yes) {
    return;
  }
  const done = await agent.server.request("agent/restore", { taskId, ...place });
  const undo = "Undo";
  const text = `${done.files.length} files restored${done.conflicts.length ? `, ${done.conflicts.length} left as they are` : ""}.`;
  if (done.undo && (await vscode.window.showInformationMessage(text, undo)) === undo) {
    await agent.server.request("agent/restore", { taskId, checkpoint: done.undo });
  }
}

function told(plan: Restoration): string {
  const files = plan.files.map((file) => `${file.kind} ${file.path}${file.isMerged ? " (what you changed stays)" : ""}`);
  const conflicts = plan.conflicts.map((file) => `left: ${file.path}: ${file.reason}`);
  return [...files, ...conflicts].slice(0, 25).join("\n");
}

const PERMISSIONS = [
  { label: "plan", detail: "Reads; nothing is changed or run" },
  { label: "default", detail: "Reads in the workspace; asks before every change and every command" },
  { label: "acceptEdits", detail: "Edits in the workspace, too" },
  { label: "bypassPermissions", detail: "All but what you denied, and writes outside the workspace or to protected files" },
] as const;

export async function pickPermissions(agent: Agent): Promise<void> {
  const current = agent.task.status?.permissionMode;
  const rows = PERMISSIONS.map((one) => ({ ...one, description: one.label === current ? "current" : "", value: one.label }));
  const picked = await choose("What runs unasked", async () => rows);
  if (picked) {
    await agent.server.request("agent/setPermissionMode", { ...currentTask(agent), permissionMode: picked });
  }
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
  const picked = await choose(`Choose a ${key}`, async () => listed(await request(agent, list, {}), key));
  if (picked) {
    await request(agent, set, { ...currentTask(agent), [key]: picked });
  }
}

function listed(result: unknown, key: string): Row<string>[] {
  const rows = (result as Record<string, { slug?: string; name?: string; description?: string }[]>)[`${key}s`] ?? [];
  return rows.map((row) => ({ label: row.name ?? row.slug ?? "", detail: row.description ?? "", value: row.slug ?? row.name ?? "" }));
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
