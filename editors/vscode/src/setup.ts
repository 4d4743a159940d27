// The first run: how the server comes onto the machine, how a model is chosen, and the demo that needs neither key nor network.

import * as vscode from "vscode";

import { findServer, shellLine } from "./serverCommand.ts";
import { userSetting } from "./settings.ts";

/** Says that the server is missing and offers to install the one that came along, in a terminal where the user sees what runs. */
export async function offerSetup(extension: vscode.Uri, retry: () => Promise<void>): Promise<void> {
  const uv = "Install with uv";
  const pipx = "Install with pipx";
  const choose = "Choose…";
  const answer = await vscode.window.showWarningMessage("The agent's server, agent-lsp, was not found on the path.", uv, pipx, choose);
  if (answer === choose) {
    await chooseServer();
  } else if (answer === uv || answer === pipx) {
    const terminal = vscode.window.createTerminal("Install agent-lsp");
    terminal.show();
    const installer = answer === uv ? ["uv", "tool", "install"] : ["pipx", "install"];
    terminal.sendText(shellLine(vscode.env.shell, ...installer, await bundledServer(extension)));
    const done = "Look again";
    if ((await vscode.window.showInformationMessage("When the installation is done:", done)) === done) {
      await retry();
    }
  }
}

/** The wheel that was packaged with this extension; its name holds its version. */
async function bundledServer(extension: vscode.Uri): Promise<string> {
  const folder = vscode.Uri.joinPath(extension, "dist");
  const files = await vscode.workspace.fs.readDirectory(folder);
  const wheel = files.find(([name]) => name.endsWith(".whl"));
  return wheel ? vscode.Uri.joinPath(folder, wheel[0]).fsPath : "agent-lsp-server";
}

async function chooseServer(): Promise<void> {
  const [file] = (await vscode.window.showOpenDialog({ title: "The agent-lsp program", canSelectMany: false })) ?? [];
  if (file) {
    await vscode.workspace.getConfiguration("agentLsp").update("server.path", file.fsPath, vscode.ConfigurationTarget.Global);
  }
}

export function playDemo(): void {
  runInTerminal("Agent's demo", "demo");
}

/** Asks for a provider, a key and a model, one after the other, and keeps them in the server's own file. */
export function configure(): void {
  runInTerminal("Agent's model", "configure");
}

function runInTerminal(title: string, word: string): void {
  const command = findServer(configuredPath(), process.env["PATH"] ?? "", [])?.command ?? "agent-lsp";
  const terminal = vscode.window.createTerminal(title);
  terminal.show();
  terminal.sendText(shellLine(vscode.env.shell, command, word));
}

function configuredPath(): string {
  return userSetting("agentLsp", "server.path", "");
}
