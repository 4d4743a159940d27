// The server's process and the wire to it: what it is told of this client, and every request that is made of it.

import { createConnection } from "node:net";
import * as vscode from "vscode";
import {
  type ClientCapabilities,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type ServerOptions,
  State,
  type StaticFeature,
  type StreamInfo,
} from "vscode-languageclient/node";

import type { ServerState } from "./messages.ts";
import type { ClientNotifications, ClientRequests, ServerNotifications, ServerRequests } from "./protocol.ts";
import { findServer, readAddress } from "./serverCommand.ts";
import { explicitSettings, userSetting } from "./settings.ts";

type Answer<M extends keyof ServerRequests> = (params: ServerRequests[M][0], token: vscode.CancellationToken) => Promise<ServerRequests[M][1]>;
type Listener<M extends keyof ServerNotifications> = (params: ServerNotifications[M][0]) => void;

/** Says in `initialize` what this client does, so that the server talks to it as to one with a view. */
class Announcement implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const agent = { protocolVersion: 1, messages: {}, save: {}, diagnostics: {}, editorContext: {} };
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), agent };
  }
  initialize(): void {}
  clear(): void {}
  getState(): { kind: "static" } {
    return { kind: "static" };
  }
}

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly answers = new Map<string, (params: never, token: vscode.CancellationToken) => Promise<unknown>>();
  private readonly listeners = new Map<string, (params: never) => void>();
  private readonly changed = new vscode.EventEmitter<ServerState>();
  readonly onStateChanged = this.changed.event;
  state: ServerState = "stopped";
  private starts = 0;
  private ending: Promise<unknown> = Promise.resolve();

  constructor(readonly log: vscode.LogOutputChannel) {}

  /** What the server that runs can be asked. */
  get methods(): readonly string[] {
    const agent = this.client?.initializeResult?.capabilities.experimental?.agent as { methods?: string[] } | undefined;
    return agent?.methods ?? [];
  }

  /** Whether the server knows a method; an older one may not. */
  knows(method: string): boolean {
    return this.methods.includes(method);
  }

  answer<M extends keyof ServerRequests>(method: M, answer: Answer<M>): void {
    this.answers.set(method, answer as (params: never, token: vscode.CancellationToken) => Promise<unknown>);
  }

  listen<M extends keyof ServerNotifications>(method: M, listener: Listener<M>): void {
    this.listeners.set(method, listener as (params: never) => void);
  }

  /** Starts it anew. Where that is wanted again before it is done, the last time counts. */
  async start(): Promise<void> {
    const start = ++this.starts;
    this.become("starting");
    await this.stop();
    if (start !== this.starts) {
      return;
    }
    const options = serverOptions(this.log);
    if (!options) {
      this.become("missing");
      return;
    }
    const client = this.newClient(options);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      if (client === this.client) {
        this.log.error(`the server did not start: ${String(error)}`);
        this.become("stopped");
      }
    }
  }

  /** Comes back when it has ended: who starts another one finds free what it held. */
  async stop(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.ending = Promise.all([this.ending, client && this.end(client)]);
    await this.ending;
  }

  /** Asked of a server that is just starting, it waits until that runs. */
  async request<M extends keyof ClientRequests>(method: M, params: ClientRequests[M][0]): Promise<ClientRequests[M][1]> {
    await this.started();
    if (!this.client || this.state !== "ready") {
      throw new Error(this.state === "missing" ? "The agent's server is not installed." : "The agent's server does not run.");
    }
    return await this.client.sendRequest<ClientRequests[M][1]>(method, params);
  }

  notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M][0]): void {
    if (this.state === "ready") {
      void this.client?.sendNotification(method, params);
    }
  }

  /** Ranges and diagnostics as the wire has them. */
  get converter(): LanguageClient["code2ProtocolConverter"] | undefined {
    return this.client?.code2ProtocolConverter;
  }

  dispose(): void {
    this.changed.dispose();
    void this.stop();
  }

  private newClient(server: ServerOptions): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { agent: explicitSettings(), ...token() },
      connectionOptions: { maxRestartCount: 3 },
      middleware: {
        // Only what somebody set: a default of the editor's must not lie over the user's own settings file.
        workspace: { configuration: (params) => params.items.map((item) => (item.section === "agent" ? explicitSettings() : null)) },
      },
    };
    const client = new LanguageClient("agentLsp", "Agent", server, options);
    client.registerFeature(new Announcement());
    client.onDidChangeState(({ newState }) => {
      // What becomes of a server that was given up says nothing of the one in its place.
      if (client === this.client) {
        this.become(newState === State.Running ? "ready" : newState === State.Starting ? "starting" : "stopped");
      }
    });
    for (const [method, answer] of this.answers) {
      client.onRequest(method, answer as (params: unknown, token: vscode.CancellationToken) => Promise<unknown>);
    }
    for (const [method, listener] of this.listeners) {
      client.onNotification(method, listener as (params: unknown) => void);
    }
    return client;
  }

  /** Whatever state it is in: one that never started, or hangs, is ended by its process. */
  private async end(client: LanguageClient): Promise<void> {
    try {
      await client.dispose();
    } catch (error) {
      this.log.warn(`the server was ended: ${String(error)}`);
    }
  }

  private async started(): Promise<void> {
    while (this.state === "starting") {
      await new Promise<void>((resolve) => {
        const listening = this.onStateChanged(() => {
          listening.dispose();
          resolve();
        });
      });
    }
  }

  private become(state: ServerState): void {
    if (state === this.state) {
      return;
    }
    this.state = state;
    this.changed.fire(state);
  }
}

/** A program to start, or a server to connect to that runs already; nothing where there is none. */
function serverOptions(log: vscode.LogOutputChannel): ServerOptions | undefined {
  const address = userSetting("agentLsp", "server.address", "");
  if (address) {
    log.info(`connecting to ${address}`);
    return () => connection(address);
  }
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const command = findServer(userSetting("agentLsp", "server.path", ""), process.env["PATH"] ?? "", folders);
  log.info(command ? `starting ${command.command}` : "there is no agent-lsp on the path");
  return command && { ...command, options: {} };
}

function connection(address: string): Promise<StreamInfo> {
  const place = readAddress(address);
  return new Promise((resolve, reject) => {
    if (!place) {
      reject(new Error(`${address} is no HOST:PORT.`));
      return;
    }
    const socket = createConnection(place, () => resolve({ reader: socket, writer: socket, detached: true }));
    socket.once("error", reject);
  });
}

function token(): { agentToken?: string } {
  const agentToken = userSetting("agentLsp", "server.address", "") && userSetting("agentLsp", "server.token", "");
  return agentToken ? { agentToken } : {};
}
