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

/** The server named in the settings, or the first on the path that does not lie in a workspace folder. Where installers put programs
 * of the user's own is looked at, too: an editor that runs already does not learn that they have put that on the path. */
export function findServer(configured: string, searchPath: string, folders: readonly string[], home = homeFolder()): ServerCommand | undefined {
  const places = [searchPath, ...(home ? [path.join(home, ".local", "bin")] : [])].join(path.delimiter);
  const found = configured ? expanded(configured, home) : onPath("agent-lsp", places, folders);
  return found && isExecutable(found) ? { command: found, args: ["--stdio"] } : undefined;
}

/** A line that runs a program with these words, as the user's shell reads it. */
export function shellLine(shell: string, ...words: string[]): string {
  const name = path.win32.basename(shell).toLowerCase();
  const isPowerShell = /^(powershell|pwsh)\b/.test(name);
  const quote = isPowerShell ? powerShellQuoted : name === "cmd.exe" ? cmdQuoted : posixQuoted;
  const line = words.map((word) => (/^[\w./:-]+$/.test(word) ? word : quote(word))).join(" ");
  return isPowerShell && line.startsWith("'") ? `& ${line}` : line;
}

const powerShellQuoted = (word: string): string => `'${word.replaceAll("'", "''")}'`;
const cmdQuoted = (word: string): string => `"${word}"`;
const posixQuoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

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

function homeFolder(): string {
  return process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
}

function expanded(file: string, home: string): string {
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
