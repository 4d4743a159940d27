// The user's terminals and the newest command of each, where the shell tells of its commands. Those that extensions draw are no shells.

import * as vscode from "vscode";

import type { TerminalParams } from "./protocol.ts";
import { OutputTail } from "./terminalOutput.ts";

const MOST_TERMINALS = 20;
const COMMAND_CHARACTERS = 2_000;
/** An editor whose extensions run elsewhere can lose the output of a command that ends at once: its start and its end then come as one. */
const UNSEEN = "(The editor passed on no output of this command; it may have written some.)";

interface Command {
  readonly execution: vscode.TerminalShellExecution;
  readonly output: OutputTail;
  isRunning: boolean;
  exitCode?: number;
}

export class UserTerminals implements vscode.Disposable {
  private readonly commands = new Map<vscode.Terminal, Command>();
  private readonly subscriptions: vscode.Disposable[];

  /** `changed` is called when a command begins or ends, and never for what it writes. */
  constructor(private readonly changed: () => void) {
    this.subscriptions = [
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => this.started(terminal, execution)),
      vscode.window.onDidEndTerminalShellExecution((event) => this.ended(event)),
      vscode.window.onDidCloseTerminal((terminal) => {
        this.commands.delete(terminal);
        this.changed();
      }),
    ];
  }

  list(): TerminalParams[] {
    const shells = vscode.window.terminals.filter((terminal) => !("pty" in terminal.creationOptions));
    return shells.slice(-MOST_TERMINALS).map((terminal) => described(terminal, this.commands.get(terminal)));
  }

  dispose(): void {
    this.commands.clear();
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private started(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): void {
    const command: Command = { execution, output: new OutputTail(), isRunning: true };
    this.commands.set(terminal, command);
    void this.read(terminal, command);
    this.changed();
  }

  private async read(terminal: vscode.Terminal, command: Command): Promise<void> {
    for await (const chunk of command.execution.read()) {
      if (this.commands.get(terminal) !== command) {
        return;
      }
      command.output.add(chunk);
    }
  }

  private ended({ terminal, execution, exitCode }: vscode.TerminalShellExecutionEndEvent): void {
    const command = this.commands.get(terminal);
    if (command?.execution === execution) {
      command.isRunning = false;
      if (exitCode !== undefined) {
        command.exitCode = exitCode;
      }
      this.changed();
    }
  }
}

function described(terminal: vscode.Terminal, command: Command | undefined): TerminalParams {
  const cwd = terminal.shellIntegration?.cwd ?? command?.execution.cwd;
  return {
    name: terminal.name,
    ...(cwd && { cwd: cwd.fsPath }),
    ...(command && {
      command: command.execution.commandLine.value.slice(0, COMMAND_CHARACTERS),
      isRunning: command.isRunning,
      output: command.isRunning || command.output.wasSeen ? command.output.text() : UNSEEN,
    }),
    ...(command?.exitCode !== undefined && { exitCode: command.exitCode }),
  };
}
