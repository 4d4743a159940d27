// The page without a task: what can be done here, tasks to go back to, and what is still to be set up. Above a task, that no server
// is there for it.

import type { FromView } from "../src/messages.ts";
import { button, h } from "./dom.ts";
import { icon } from "./icons.ts";
import { markdownLine } from "./markdown.ts";
import { ago } from "./rowText.ts";
import type { PageState } from "./state.ts";

type Command = Extract<FromView, { type: "command" }>["command"];

export class Welcome {
  readonly element = h("div", { class: "welcome", hidden: true });
  private shown = "";

  constructor(private readonly state: PageState) {}

  update(): void {
    const { server, home, messages } = this.state;
    const isWanted = messages.size === 0 || server === "missing" || server === "stopped";
    const shown = isWanted ? JSON.stringify([server, home]) : "";
    if (shown === this.shown) {
      return;
    }
    // Only when it changes: a button made anew under the pointer loses its click, and the keyboard its place.
    this.shown = shown;
    this.element.hidden = !isWanted;
    this.element.replaceChildren(...(isWanted ? welcome(this.state) : []));
  }
}

function welcome(state: PageState): HTMLElement[] {
  const run = (command: Command) => () => state.send({ type: "command", command });
  switch (state.server) {
    case "missing":
      return [hello("The server is not installed"), h("p", { class: "dim" }, "The agent is a program called agent-lsp. It comes with this extension."), h("div", { class: "actions" }, button("Install it…", run("setup"), { class: "primary" }), button("Look again", run("restart"), { class: "secondary" }))];
    case "stopped":
      return [hello("The server does not run"), h("div", { class: "actions" }, button("Start it", run("restart"), { class: "primary" }), button("Show the log", run("showLog"), { class: "secondary" }))];
    case "starting":
      return [h("p", { class: "dim late" }, "The server starts…")];
    default:
      return state.home.problem === undefined ? ready(state) : unconfigured(state.home.problem, run);
  }
}

function hello(text: string): HTMLElement {
  return h("h1", {}, text);
}

function unconfigured(problem: string, run: (command: Command) => () => void): HTMLElement[] {
  return [
    hello("Choose a model"),
    h("p", { class: "dim" }, ...markdownLine(problem)),
    h("div", { class: "actions stacked" }, button("Set up a model", run("configure"), { class: "primary" }), button("Try it without a key", run("demo"), { class: "secondary" })),
  ];
}

function ready(state: PageState): HTMLElement[] {
  const tasks = state.home.tasks;
  const rows = tasks.map((task) => {
    const resume = (): void => state.send({ type: "resume", taskId: task.taskId });
    return h("button", { type: "button", class: "recent", title: task.title, on: { click: resume } }, h("span", {}, task.title || "(no title)"), h("span", { class: "dim" }, ago(task.ts)));
  });
  const all = button("All tasks", () => state.send({ type: "command", command: "history" }), { class: "quiet" });
  return [
    hello("What shall the agent do?"),
    h("p", { class: "dim" }, "It reads what you see, unsaved text included. Nothing is changed or run without your yes."),
    rows.length ? h("div", { class: "recents" }, h("div", { class: "recents-head" }, icon("clock"), h("span", {}, "Earlier tasks"), all), ...rows) : button("Try it without a key", () => state.send({ type: "command", command: "demo" }), { class: "link" }),
  ];
}
