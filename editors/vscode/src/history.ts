// The list of earlier tasks: one to go back to, and what else can be done with each.

import * as vscode from "vscode";

import type { Agent } from "./agent.ts";
import type { TaskSummary } from "./protocol.ts";

interface TaskRow extends vscode.QuickPickItem {
  task: TaskSummary;
}

type Action = (agent: Agent, task: TaskSummary) => Promise<void>;

const BUTTONS: readonly { button: vscode.QuickInputButton; act: Action }[] = [
  { button: { iconPath: new vscode.ThemeIcon("edit"), tooltip: "Rename" }, act: rename },
  { button: { iconPath: new vscode.ThemeIcon("repo-forked"), tooltip: "Go on in a copy" }, act: async (agent, task) => void (await agent.fork(task.taskId)) },
  { button: { iconPath: new vscode.ThemeIcon("markdown"), tooltip: "Export as Markdown" }, act: exportTask },
  { button: { iconPath: new vscode.ThemeIcon("trash"), tooltip: "Delete" }, act: remove },
];

/** Lets the user choose a task to go back to, or do something else with one; then the list is there again. */
export async function showHistory(agent: Agent, attempt: (action: () => Promise<void>) => Promise<void>): Promise<void> {
  const { tasks } = await agent.server.request("agent/listTasks", { limit: 200 });
  const list = vscode.window.createQuickPick<TaskRow>();
  list.title = "Earlier tasks";
  list.placeholder = tasks.length ? "Choose one to go back to" : "There are none yet";
  list.matchOnDetail = true;
  list.items = tasks.map(rowOf);
  list.onDidAccept(() => {
    const [row] = list.selectedItems;
    list.hide();
    if (row) {
      void attempt(() => agent.resume(row.task.taskId));
    }
  });
  list.onDidTriggerItemButton(({ button, item }) => {
    const act = BUTTONS.find((one) => one.button === button)?.act;
    list.hide();
    void attempt(async () => await act?.(agent, item.task));
  });
  list.onDidHide(() => list.dispose());
  list.show();
}

function rowOf(task: TaskSummary): TaskRow {
  const cost = task.usage.cost === null ? "" : ` · $${task.usage.cost.toFixed(2)}`;
  return {
    label: task.title || "(no title)",
    description: task.state === "idle" ? "" : task.state.replaceAll("_", " "),
    detail: new Date(task.ts).toLocaleString() + cost,
    buttons: BUTTONS.map(({ button }) => button),
    task,
  };
}

async function rename(agent: Agent, task: TaskSummary): Promise<void> {
  const title = await vscode.window.showInputBox({ title: "Rename the task", value: task.title });
  if (title?.trim()) {
    await agent.server.request("agent/renameTask", { taskId: task.taskId, title: title.trim() });
  }
}

async function exportTask(agent: Agent, task: TaskSummary): Promise<void> {
  const { text } = await agent.server.request("agent/exportTask", { taskId: task.taskId });
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content: text });
  await vscode.window.showTextDocument(document);
}

async function remove(agent: Agent, task: TaskSummary): Promise<void> {
  const yes = "Delete";
  const detail = "Its messages and its checkpoints go for good. Files stay as they are.";
  if ((await vscode.window.showWarningMessage(`Delete “${task.title || "this task"}”?`, { modal: true, detail }, yes)) === yes) {
    await agent.remove(task.taskId);
  }
}
