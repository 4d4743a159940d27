// Above the rows: what is to be done, as the agent keeps it.

import type { Todo } from "../src/protocol.ts";
import { fold, h } from "./dom.ts";
import { icon } from "./icons.ts";
import type { PageState } from "./state.ts";

export class Header {
  readonly element = h("div", { class: "header" });
  private shown = "";

  constructor(private readonly state: PageState) {}

  update(): void {
    const todos = this.state.status?.todos ?? [];
    const shown = JSON.stringify(todos);
    if (shown !== this.shown) {
      this.shown = shown;
      this.element.replaceChildren(...(todos.length ? [todoList(this.state, todos)] : []));
    }
  }
}

function todoList(state: PageState, todos: readonly Todo[]): HTMLElement {
  const done = todos.filter((todo) => todo.status === "completed").length;
  const current = todos.find((todo) => todo.status === "in_progress") ?? todos.find((todo) => todo.status !== "completed");
  const summary = [
    icon(done === todos.length ? "check" : "list"),
    h("span", { class: "todo-current" }, current?.content ?? "All done"),
    h("span", { class: "dim" }, `${done}/${todos.length}`),
    h("progress", { max: String(todos.length), value: String(done), label: `${done} of ${todos.length} done` }),
  ];
  const details = fold(summary, state.isOpen("todos", false), () => state.toggle("todos"), () => todos.map(todoElement));
  details.className = "todos";
  return details;
}

const MARKS: Record<string, string> = { completed: "☑", in_progress: "◐", pending: "☐" };

function todoElement(todo: Todo): HTMLElement {
  return h("div", { class: `todo ${todo.status}`, label: `${todo.content}: ${todo.status.replace("_", " ")}` }, h("span", { class: "mark" }, MARKS[todo.status] ?? "☐"), h("span", {}, todo.content));
}
