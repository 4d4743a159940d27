// Above the rows: what is to do, and below them: what it costs, how full the context is, and the choices of the task.

import type { Status, Todo } from "../src/protocol.ts";
import { button, h } from "./dom.ts";
import { short } from "./rowText.ts";
import type { PageState } from "./state.ts";

export class Header {
  readonly element = h("div", { class: "header" });

  constructor(private readonly state: PageState) {}

  update(): void {
    const todos = this.state.status?.todos ?? [];
    this.element.replaceChildren(...(todos.length ? [todoList(this.state, todos)] : []));
  }
}

function todoList(state: PageState, todos: readonly Todo[]): HTMLElement {
  const done = todos.filter((todo) => todo.status === "completed").length;
  const current = todos.find((todo) => todo.status === "in_progress") ?? todos.find((todo) => todo.status !== "completed");
  const details = h(
    "details",
    { class: "todos", open: state.isOpen("todos", false), on: { click: (event) => (event.target as HTMLElement).tagName === "SUMMARY" && state.toggle("todos") } },
    h("summary", {}, `${done} of ${todos.length} done${current ? ` · ${current.content}` : ""}`),
    ...todos.map((todo) => h("div", { class: `todo ${todo.status}` }, `${todo.status === "completed" ? "☑" : todo.status === "in_progress" ? "◐" : "☐"} ${todo.content}`)),
  );
  return details;
}

export class Footer {
  readonly element = h("div", { class: "footer" });

  constructor(private readonly state: PageState) {}

  update(): void {
    const status = this.state.status;
    this.element.replaceChildren(...(status ? this.parts(status) : []));
  }

  private parts(status: Status): HTMLElement[] {
    const pick = (what: "mode" | "profile" | "permissions", text: string, title: string): HTMLElement =>
      button(text, () => this.state.send({ type: "pick", what }), { class: "pick", title });
    const { usage, context } = status;
    const cached = usage.cacheReads ? ` (${short(usage.cacheReads)} from the cache)` : "";
    const tokens = `${short(usage.tokensIn)} tokens in${cached}, ${short(usage.tokensOut)} out`;
    const cost = usage.cost === null ? "price unknown" : `$${usage.cost.toFixed(2)}`;
    return [
      pick("mode", status.mode, "How the agent works"),
      pick("profile", status.model || status.profile || "model", "Which model"),
      pick("permissions", status.permissionMode, "What runs unasked"),
      h("span", { class: "usage", title: `${tokens}, ${cost}` }, `${short(usage.tokensIn + usage.tokensOut)} · ${cost}`),
      ...(context.window ? [h("span", { class: "context", title: `${short(context.tokens)} of ${short(context.window)} tokens of context` }, h("meter", { min: "0", max: "100", high: "80", value: String(context.percent), label: "Context used" }))] : []),
      ...(status.queue ? [h("span", { class: "queued" }, `${status.queue} waiting`)] : []),
    ];
  }
}
