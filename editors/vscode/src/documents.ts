// What the server asks of this editor's documents: to save them, and what diagnostics they have.

import * as vscode from "vscode";

import type { DiagnosticsParams, DiagnosticsResult, DocumentDiagnostics, FoundDiagnostic, SaveParams, SaveResult } from "./protocol.ts";
import type { Server } from "./server.ts";

/** Saves open documents, and says which would not be saved and why. */
export async function save(params: SaveParams): Promise<SaveResult> {
  const saved: string[] = [];
  const failed: { uri: string; reason?: string }[] = [];
  for (const uri of params.uris) {
    const document = openDocument(uri);
    const reason = document ? await saveOne(document) : "it is not open";
    if (reason === undefined) {
      saved.push(uri);
    } else {
      failed.push({ uri, reason });
    }
  }
  return { saved, failed };
}

async function saveOne(document: vscode.TextDocument): Promise<string | undefined> {
  if (!document.isDirty) {
    return undefined;
  }
  if (document.isUntitled) {
    return "it has no file yet";
  }
  return (await document.save()) ? undefined : "the editor did not save it";
}

const SETTLED_MS = 150;

/** The diagnostics of all language servers, once those of the wanted versions have come or time is up. */
export async function diagnostics(server: Server, params: DiagnosticsParams, token: vscode.CancellationToken): Promise<DiagnosticsResult> {
  const wantsWhatIs = params.minVersions.every((version) => version === 0);
  const status = wantsWhatIs ? "success" : await settled(params, token);
  return { status, items: params.uris.map((uri) => diagnosticsOf(server, uri)) };
}

function diagnosticsOf(server: Server, uri: string): DocumentDiagnostics {
  const version = openDocument(uri)?.version;
  const found = vscode.languages.getDiagnostics(vscode.Uri.parse(uri)).filter((one) => one.source !== "agent");
  const diagnostics = found.flatMap((one) => (server.converter?.asDiagnostic(one) as FoundDiagnostic | undefined) ?? []);
  return { uri, ...(version !== undefined && { version }), diagnostics };
}

/** No editor says which version diagnostics are of: they count once they have changed and then stood still for a moment. */
function settled(params: DiagnosticsParams, token: vscode.CancellationToken): Promise<"success" | "timeout"> {
  return new Promise((resolve) => {
    const ends: vscode.Disposable[] = [];
    let quiet: NodeJS.Timeout | undefined;
    const finish = (status: "success" | "timeout"): void => {
      clearTimeout(quiet);
      clearTimeout(limit);
      for (const end of ends) {
        end.dispose();
      }
      resolve(status);
    };
    const limit = setTimeout(() => finish("timeout"), params.timeoutMs);
    const wanted = new Set(params.uris.map((uri) => vscode.Uri.parse(uri).toString()));
    ends.push(
      token.onCancellationRequested(() => finish("timeout")),
      vscode.languages.onDidChangeDiagnostics((event) => {
        if (event.uris.some((uri) => wanted.has(uri.toString()))) {
          clearTimeout(quiet);
          quiet = setTimeout(() => finish("success"), SETTLED_MS);
        }
      }),
    );
  });
}

function openDocument(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}
