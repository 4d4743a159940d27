// Lists to choose from: modes, profiles, and what may run unasked. Those of checkpoints are in checkpoints.ts.

import * as vscode from "vscode";

import type { Agent } from "./agent.ts";
import { rememberOffer } from "./toolAsk.ts";

export interface Row<T> extends vscode.QuickPickItem {
  value: T;
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

const PERMISSIONS = [
  { label: "plan", detail: "Reads; nothing is changed or run" },
  { label: "default", detail: "Reads in the workspace; asks before every change and every command" },
  { label: "acceptEdits", detail: "Edits in the workspace, too" },
  { label: "bypassPermissions", detail: "All but what you denied, and writes outside the workspace or to protected files" },
] as const;

export async function pickPermissions(agent: Agent): Promise<void> {
  const picked = await choose("What runs unasked", async () => {
    const modes = agent.server.knows("agent/listModes") ? await agent.server.request("agent/listModes", currentTask(agent)) : undefined;
    return PERMISSIONS.map((one) => ({ ...one, description: noted(one.label === modes?.permissionMode), value: one.label }));
  });
  if (picked) {
    await agent.server.request("agent/setPermissionMode", { ...currentTask(agent), permissionMode: picked });
  }
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

export async function choose<T>(title: string, rows: () => Promise<readonly Row<T>[]>): Promise<T | undefined> {
  const picked = await vscode.window.showQuickPick(rows(), { title, matchOnDetail: true });
  return picked?.value;
}
