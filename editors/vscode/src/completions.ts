// What `@` and `/` in the prompt offer: files of the workspace, and what the server has for them.

import * as vscode from "vscode";

import { mention } from "./mentions.ts";
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
  const wanted = query.replace(/^\//, "");
  const fixed = FIXED.filter((one) => one.label.startsWith(`@${query}`));
  const [paths, below] = await Promise.all([pathsLike(globOf(wanted)), wanted ? pathsLike(`${globOf(wanted)}/**`) : []]);
  const folders = foldersIn([...below, ...paths], wanted);
  const nearest = paths.toSorted((a, b) => a.length - b.length || a.localeCompare(b)).slice(0, MOST);
  return [...fixed, ...[...folders, ...nearest].map((path) => ({ label: nameOf(path), detail: path, insert: `${mention(path)} ` }))];
}

async function pathsLike(pattern: string): Promise<string[]> {
  const files = await vscode.workspace.findFiles(pattern, leftOut(), MOST * 5);
  return files.map((file) => vscode.workspace.asRelativePath(file, (vscode.workspace.workspaceFolders?.length ?? 0) > 1));
}

/** What the user leaves out of searches, packages of others first of all: among so many files the few that are meant would not be found. */
function leftOut(): string | undefined {
  const settings = vscode.workspace.getConfiguration("search").get<Record<string, unknown>>("exclude", {});
  const patterns = Object.keys(settings).filter((pattern) => settings[pattern] === true);
  return patterns.length ? `{${patterns.join(",")}}` : undefined;
}

/** The folders on the way to these files whose own name begins so; each ends with a slash. */
function foldersIn(paths: readonly string[], query: string): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const parts = path.split("/").slice(0, -1);
    parts.forEach((part, index) => {
      if (query && part.toLowerCase().startsWith(query.toLowerCase())) {
        found.add(`${parts.slice(0, index + 1).join("/")}/`);
      }
    });
  }
  return [...found].slice(0, MOST / 4);
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
  const end = path.endsWith("/") ? -2 : -1;
  return path.split("/").slice(end).join("/");
}

async function commands(server: Server, query: string): Promise<Completion[]> {
  if (!server.knows("agent/listCommands")) {
    return [];
  }
  const { commands } = await server.request("agent/listCommands", {});
  return commands
    .filter((one) => one.name.toLowerCase().includes(query.toLowerCase()))
    .slice(0, MOST)
    .map((one) => ({ label: `/${one.name}`, detail: [one.argumentHint, one.description].filter(Boolean).join("  "), insert: `/${one.name} ` }));
}
