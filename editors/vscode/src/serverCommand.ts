// Which program to start as the server. Never one out of a workspace: a folder that was only opened must not choose what runs.

import { accessSync, constants, statSync } from "node:fs";
import * as path from "node:path";

export interface ServerCommand {
  command: string;
  args: string[];
}

/** `HOST:PORT` of a server that runs already; nothing where that is no such thing. */
export function readAddress(address: string): { host: string; port: number } | undefined {
  const match = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(address.trim());
  return match ? { host: match[1] ?? "", port: Number(match[2]) } : undefined;
}

/** The server named in the settings, or the first on the path that does not lie in a workspace folder. */
export function findServer(configured: string, searchPath: string, folders: readonly string[]): ServerCommand | undefined {
  const found = configured ? expanded(configured) : onPath("agent-lsp", searchPath, folders);
  return found && isExecutable(found) ? { command: found, args: ["--stdio"] } : undefined;
}

function onPath(name: string, searchPath: string, folders: readonly string[]): string | undefined {
  const names = process.platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name];
  return searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !folders.some((root) => isInside(root, folder)))
    .flatMap((folder) => names.map((file) => path.join(folder, file)))
    .find(isExecutable);
}

function isInside(root: string, folder: string): boolean {
  const relative = path.relative(root, folder);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}

function expanded(file: string): string {
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  return file.startsWith("~/") ? path.join(home, file.slice(2)) : file;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
