// What `@` and `/` in the prompt offer: files of the workspace, and what the server has for them.

import * as vscode from "vscode";

import type { Completion } from "./messages.ts";
import type { Server } from "./server.ts";

const MOST = 20;
const FIXED: readonly Completion[] = [
  { label: "@problems", detail: "all diagnostics of the workspace", insert: "@problems " },
  { label: "@git-changes", detail: "what is not committed", insert: "@git-changes " },
  { label: "@terminal", detail: "the output of the last command", insert: "@terminal " },
];

export async function completions(server: Server, kind: "@" | "/", query: string): Promise<Completion[]> {
  return kind === "@" ? await mentions(query) : await commands(server, query);
}

async function mentions(query: string): Promise<Completion[]> {
  const fixed = FIXED.filter((one) => one.label.startsWith(`@${query}`));
  const pattern = globOf(query.replace(/^\//, ""));
  const files = await vscode.workspace.findFiles(pattern, undefined, MOST * 5);
  const paths = files.map((file) => vscode.workspace.asRelativePath(file, (vscode.workspace.workspaceFolders?.length ?? 0) > 1));
  const nearest = paths.toSorted((a, b) => a.length - b.length || a.localeCompare(b)).slice(0, MOST);
  return [...fixed, ...nearest.map((path) => ({ label: nameOf(path), detail: path, insert: `@/${path.replaceAll(" ", "\\ ")} ` }))];
}

/** Letters in order, whatever their case, as people expect of a file finder. */
function globOf(query: string): string {
  const letters = [...query].map((letter) => (/[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : escaped(letter)));
  return letters.includes("/") ? `**/*${letters.join("")}*` : `**/*${letters.join("*")}*`;
}

function escaped(letter: string): string {
  return /[[\]{}*?!]/.test(letter) ? "?" : letter;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

async function commands(server: Server, query: string): Promise<Completion[]> {
  if (!server.knows("agent/listCommands")) {
    return [];
  }
  const result = (await server.request("agent/listCommands" as "agent/listTasks", {})) as unknown as { commands?: { name: string; description?: string }[] };
  return (result.commands ?? [])
    .filter((one) => one.name.toLowerCase().includes(query.toLowerCase()))
    .slice(0, MOST)
    .map((one) => ({ label: `/${one.name}`, detail: one.description ?? "", insert: `/${one.name} ` }));
}
