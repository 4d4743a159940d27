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

export async function pickMode(agent: Agent): Promise<void> {
  if (!agent.server.knows("agent/listModes")) {
    void vscode.window.showInformationMessage("This version of the server has one mode only.");
    return;
  }
  const picked = await choose("How the agent works", async () => {
    const { modes } = await agent.server.request("agent/listModes", currentTask(agent));
    return modes.map((mode) => ({
      label: mode.name,
      description: noted(mode.isCurrent, mode.source === "built-in" ? "" : `the ${mode.source}'s`, mode.profile && `asks ${mode.profile}`),
      detail: mode.description,
      value: mode.slug,
    }));
  });
  if (picked) {
    await agent.server.request("agent/setMode", { ...currentTask(agent), mode: picked });
  }
}

const SET_UP = Symbol("set up");

export async function pickProfile(agent: Agent): Promise<void> {
  const picked = await choose<string | typeof SET_UP>("Which model answers", async () => {
    const { profiles } = await agent.server.request("agent/listProfiles", currentTask(agent));
    const rows = profiles.map((profile) => ({
      label: profile.name,
      description: noted(profile.isCurrent),
      detail: profile.problem ?? [profile.type, profile.model].filter(Boolean).join(", "),
      value: profile.name,
    }));
    return [...rows, { label: "$(add) Set up another…", value: SET_UP }];
  });
  if (picked === SET_UP) {
    await vscode.commands.executeCommand("agentLsp.configure");
  } else if (picked) {
    await agent.server.request("agent/setProfile", { ...currentTask(agent), profile: picked });
  }
}

function noted(isCurrent: boolean, ...words: (string | undefined)[]): string {
  return [isCurrent && "current", ...words].filter(Boolean).join(", ");
}

function currentTask(agent: Agent): { taskId?: string } {
  return agent.task.taskId ? { taskId: agent.task.taskId } : {};
}

async function choose<T>(title: string, rows: () => Promise<readonly Row<T>[]>): Promise<T | undefined> {
  const picked = await vscode.window.showQuickPick(rows(), { title, matchOnDetail: true });
  return picked?.value;
}
