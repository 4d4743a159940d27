// Joins the rooms: server, task, view, lenses, status bar and commands. What each does stands in its own file.

import * as vscode from "vscode";

import { Agent } from "./agent.ts";
import { Answering, takes } from "./answering.ts";
import { closePreviews, HunkLenses, nothing, PREVIEW } from "./changes.ts";
import { pickCheckpoint } from "./checkpoints.ts";
import { completions } from "./completions.ts";
import { diagnostics, save } from "./documents.ts";
import { Drafts } from "./drafts.ts";
import { EditorContext } from "./editorContext.ts";
import { showHistory } from "./history.ts";
import { homeOf } from "./home.ts";
import type { FromView } from "./messages.ts";
import { pickMode, pickPermissions, pickProfile, rememberAnswer } from "./pickers.ts";
import { here, openFile } from "./places.ts";
import { Prompting } from "./prompting.ts";
import { Server } from "./server.ts";
import { configure, offerSetup, playDemo } from "./setup.ts";
import { StatusBar } from "./statusBar.ts";
import type { TaskEvent } from "./task.ts";
import { Terminals } from "./terminal.ts";
import { changesOf } from "./toolAsk.ts";
import { TaskView } from "./view.ts";

const LAST_TASK = "lastTask";

/** The editor tells `deactivate` nothing: what that has to end is kept here. */
let running: Extension | undefined;

/** The view and the commands are there at once; the server comes when it comes. */
export function activate(extension: vscode.ExtensionContext): void {
  running = new Extension(extension);
  extension.subscriptions.push(running);
  void running.server.start();
}

/** The editor waits for this: the window that comes next finds the task free. */
export async function deactivate(): Promise<void> {
  await running?.server.stop();
}

class Extension implements vscode.Disposable {
  readonly server: Server;
  private readonly agent: Agent;
  private readonly view: TaskView;
  private readonly prompting: Prompting;
  private readonly drafts: Drafts;
  private readonly answering: Answering;
  private readonly lenses: HunkLenses;
  private readonly statusBar = new StatusBar();
  private readonly terminals = new Terminals();
  private readonly context: EditorContext;
  private readonly subscriptions: vscode.Disposable[] = [];
  private readonly contexts = new Map<string, boolean>();
  private announced: number | undefined;
  private queued = 0;
  /** As it was chosen for tasks to come. */

  constructor(private readonly extension: vscode.ExtensionContext) {
    this.server = new Server(vscode.window.createOutputChannel("Agent", { log: true }));
    this.context = new EditorContext(this.server);
    this.agent = new Agent(this.server, (event) => this.taskChanged(event), () => this.context.now());
    this.lenses = new HunkLenses(this.agent.task);
    this.view = new TaskView(extension.extensionUri, (message) => void this.attempt(() => this.fromView(message)));
    this.drafts = new Drafts(extension.workspaceState);
    this.prompting = new Prompting(this.agent, this.view, this.drafts);
    this.answering = new Answering(this.agent, this.prompting);
    this.server.answer("agent/save", save);
    this.server.answer("agent/diagnostics", (params, token) => diagnostics(this.server, params, token));
    this.subscribe();
    this.registerCommands();
  }

  dispose(): void {
    for (const part of [...this.subscriptions, this.context, this.terminals, this.statusBar, this.server]) {
      part.dispose();
    }
  }

  private subscribe(): void {
    const files = [{ scheme: "file" }, { scheme: PREVIEW }];
    this.subscriptions.push(
      this.server.onStateChanged(() => void this.attempt(() => this.serverChanged())),
      vscode.window.registerWebviewViewProvider(TaskView.id, this.view),
      vscode.languages.registerCodeLensProvider(files, this.lenses),
      vscode.workspace.registerTextDocumentContentProvider("agent-nothing", nothing),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("agentLsp.server")) {
          void this.attempt(() => this.server.start());
        } else if (event.affectsConfiguration("agent")) {
          void this.attempt(() => this.sendHome());
        }
      }),
    );
  }

  private async serverChanged(): Promise<void> {
    const { state } = this.server;
    this.statusBar.show(state, this.agent.task.status);
    if (state === "ready") {
      await this.serverIsReady();
      return;
    }
    this.sendServer();
    if (state === "missing") {
      await this.setUp();
    }
  }

  /** The page hears of it once there is something to be shown: the task that was here, or what can be done. */
  private async serverIsReady(): Promise<void> {
    try {
      await this.agent.reconnect(this.extension.workspaceState.get<string>(LAST_TASK));
      await this.sendHome();
    } finally {
      this.sendServer();
    }
  }

  private async setUp(): Promise<void> {
    await offerSetup(this.extension.extensionUri, () => this.server.start());
  }

  private async choose(pick: () => Promise<void>): Promise<void> {
    await pick();
    await this.sendHome();
  }

  private sendServer(): void {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    this.view.send({ type: "server", state: this.server.state, methods: this.server.methods, folders });
  }

  /** What the page shows without a task is asked for only where it shows that. */
  private async sendHome(): Promise<void> {
    if (this.server.state === "ready" && !this.agent.task.taskId) {
      this.view.send({ type: "home", home: await homeOf(this.server) });
    }
  }

  private async sendQueue(taskId: string): Promise<void> {
    const { words } = await this.server.request("agent/queue", { taskId, op: "list" });
    this.view.send({ type: "queue", words });
  }

  private taskChanged(event: TaskEvent): void {
    switch (event.type) {
      // The keys are there before the page shows what they answer.
      case "snapshot":
        this.queued = 0;
        this.noteTask();
        this.statusChanged();
        this.view.send(this.agent.snapshot());
        void this.attempt(() => this.sendHome());
        break;
      case "status":
        this.noteTask();
        this.statusChanged();
        this.view.send(event);
        break;
      case "delta":
        this.view.send(event);
        this.terminals.grow(this.agent.task.message(event.ts));
        break;
      case "message":
        this.view.send(event);
        this.terminals.grow(event.message);
        break;
      case "decisions":
        this.lenses.refresh();
        this.view.send(event);
        break;
      default:
        this.view.send(event);
    }
  }

  /** For the window or the server that comes after this one. */
  private noteTask(): void {
    const { taskId } = this.agent.task;
    const state = this.extension.workspaceState;
    if (state.get(LAST_TASK) !== taskId) {
      void state.update(LAST_TASK, taskId);
    }
  }

  private statusChanged(): void {
    const { task } = this.agent;
    const { status, waiting } = task;
    this.statusBar.show(this.server.state, status);
    this.view.title(status?.title ?? "");
    const waits = status?.state === "waiting_for_input";
    this.view.badge(waits ? 1 : 0, "The agent waits for your answer");
    this.setContext("waits", waits);
    // The keys are there for everything that takes a yes or a no, and for questions, to bring the user to them.
    this.setContext("asks", waits || takes(status?.ask, "yesButtonClicked"));
    this.setContext("waitsForChange", changesOf(waiting).length > 0);
    this.setContext("works", status?.state === "running" || status?.state === "streaming");
    this.setContext("hasTask", status !== undefined);
    if (status && status.queue !== this.queued) {
      this.queued = status.queue;
      void this.attempt(() => this.sendQueue(status.taskId));
    }
    if (waiting?.ts !== this.announced) {
      this.announced = waiting?.ts;
      this.lenses.refresh();
      void closePreviews();
      this.announce(waits);
    }
  }

  /** Says it to the editor only when it has changed: a status comes many times a second. */
  private setContext(name: string, value: boolean): void {
    if (this.contexts.get(name) !== value) {
      this.contexts.set(name, value);
      void vscode.commands.executeCommand("setContext", `agentLsp.${name}`, value);
    }
  }

  /** A toast only where the view is hidden: who sees the card needs no second one. */
  private announce(waits: boolean): void {
    if (waits && !this.view.isVisible) {
      const show = "Show";
      void vscode.window.showInformationMessage("The agent waits for your answer.", show).then((answer) => {
        if (answer === show) {
          void vscode.commands.executeCommand("agentLsp.focus");
        }
      });
    }
  }

  private registerCommands(): void {
    const { agent, answering, prompting } = this;
    const commands: Record<string, (...args: never[]) => unknown> = {
      focus: () => prompting.compose("", []),
      newTask: async () => {
        await agent.clear();
        await prompting.compose("", []);
      },
      history: () => showHistory(agent, (action) => this.attempt(action)),
      checkpoints: () => pickCheckpoint(agent),
      ask: () => prompting.compose("", here()),
      fix: () => prompting.aboutSelection("Fix the problem here."),
      explain: () => prompting.aboutSelection("Explain what this does. Change nothing."),
      approve: () => answering.yesOrNo("yesButtonClicked"),
      reject: () => answering.yesOrNo("noButtonClicked"),
      acceptHunk: (ts?: number, hunk?: string) => answering.decide("accept", ts, hunk),
      rejectHunk: (ts?: number, hunk?: string) => answering.decide("reject", ts, hunk),
      showDiff: () => answering.diff(),
      cancel: () => agent.cancel(),
      pickMode: () => this.choose(() => pickMode(agent)),
      pickProfile: () => this.choose(() => pickProfile(agent)),
      pickPermissions: () => this.choose(() => pickPermissions(agent)),
      condense: () => agent.condense(),
      fork: () => agent.task.taskId && agent.fork(agent.task.taskId),
      showTerminal: () => this.showLastTerminal(),
      demo: playDemo,
      configure,
      setup: () => this.setUp(),
      restart: () => this.server.start(),
      showLog: () => this.server.log.show(),
      debugReport: () => this.copyReport(),
    };
    for (const [name, run] of Object.entries(commands)) {
      const attempt = (...args: never[]): Promise<void> => this.attempt(async () => void (await run(...args)));
      this.subscriptions.push(vscode.commands.registerCommand(`agentLsp.${name}`, attempt));
    }
  }

  private async fromView(message: FromView): Promise<void> {
    const { agent, answering, prompting } = this;
    switch (message.type) {
      case "ready":
        this.sendServer();
        this.view.send({ type: "draft", draft: this.drafts.now });
        this.view.send(agent.snapshot());
        this.queued = 0;
        this.statusChanged();
        return await this.sendHome();
      case "draft":
        return await this.drafts.keep(message);
      case "send":
        return await prompting.say(message);
      case "answer":
        return await prompting.answer(message.ts, message.response, message.text);
      case "suggested":
        return void (await agent.answer(message.ts, "messageResponse", message.text));
      case "call":
        return await agent.call(message.method);
      case "decide":
        return await agent.decide(message.ts, message.hunk, message.decision);
      case "diff":
        return await answering.diff(message.ts, message.path);
      case "open":
        return await openFile(message.path, message.line);
      case "terminal":
        return message.operation === "show" ? this.showTerminal(message.ts) : await agent.terminal(message.ts, message.operation);
      case "complete":
        return this.view.send({ type: "completions", request: message.request, items: await completions(this.server, message.kind, message.query) });
      case "resume":
        return await agent.resume(message.taskId);
      case "queue":
        return await prompting.unqueue(message.op, message.messageId);
      case "older":
        return await agent.older(message.before);
      case "restore":
        return await prompting.goBack(message.ts, message.what);
      case "remember":
        return await rememberAnswer(agent, message.ts);
      case "copy":
        return await vscode.env.clipboard.writeText(message.text);
      case "pick":
      case "command": {
        const picks = { mode: "pickMode", profile: "pickProfile", permissions: "pickPermissions" };
        const command = message.type === "pick" ? picks[message.what] : message.command;
        await vscode.commands.executeCommand(`agentLsp.${command}`);
      }
    }
  }

  private showTerminal(ts: number): void {
    const message = this.agent.task.message(ts);
    if (message) {
      this.terminals.show(message, () => void this.attempt(() => this.agent.terminal(ts, "abort")));
    }
  }

  private showLastTerminal(): void {
    const output = this.agent.task.messages.findLast((one) => one.ask === "command_output" || one.say === "command_output");
    if (output) {
      this.showTerminal(output.ts);
    }
  }

  private async copyReport(): Promise<void> {
    await vscode.env.clipboard.writeText(await this.server.request("agent/debugReport", {}));
    void vscode.window.showInformationMessage("The report is on the clipboard. There are no keys in it; read it before you send it.");
  }

  /** One place for what goes wrong: the view says it, in the server's own sentence. */
  private async attempt(action: () => Promise<void> | void): Promise<void> {
    try {
      await action();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.server.log.error(text);
      if (this.view.isVisible) {
        this.view.send({ type: "notice", text });
      } else {
        void vscode.window.showErrorMessage(`Agent: ${text}`);
      }
    }
  }
}
