// What the view shows before a task: how the next one would be done, whether it can be, and earlier tasks to go back to.

import type { Home } from "./messages.ts";
import type { ProfileRow } from "./protocol.ts";
import type { Server } from "./server.ts";

const RECENT = 5;

/** Asks the server; what an older one does not know is left out. */
export async function homeOf(server: Server): Promise<Home> {
  const [profiles, modes, tasks] = await Promise.all([
    server.request("agent/listProfiles", {}),
    server.knows("agent/listModes") ? server.request("agent/listModes", {}) : undefined,
    server.request("agent/listTasks", { limit: RECENT }),
  ]);
  const mode = modes?.modes.find((one) => one.isCurrent)?.slug;
  const permissionMode = modes?.permissionMode;
  return { tasks: tasks.tasks, ...modelOf(profiles.profiles), ...(mode && { mode }), ...(permissionMode && { permissionMode }) };
}

export function modelOf(profiles: readonly ProfileRow[]): Pick<Home, "model" | "problem"> {
  const current = profiles.find((one) => one.isCurrent);
  if (!current) {
    return { problem: "Tasks need a model: one of a vendor's, with a key, or one that runs on this machine." };
  }
  const model = current.model || current.name;
  return current.problem === undefined ? { model } : { model, problem: current.problem };
}
