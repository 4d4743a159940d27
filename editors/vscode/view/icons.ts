// Small pictures, drawn here so that the page needs no font of them: lines in the colour of the text beside them.

const PATHS = {
  file: "M4 1.5h5l3.5 3.5v9.5h-8.5zM9 1.5v3.5h3.5",
  edit: "M2.5 13.5l.8-3.2 7.7-7.7 2.4 2.4-7.7 7.7zM9.4 4.2l2.4 2.4",
  create: "M9 1.5h-5v13h8.5v-9.5zM9 1.5v3.5h3.5M8.2 7.5v4.5M6 9.75h4.5",
  remove: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9",
  folder: "M1.5 3.5h4.5l1.5 1.5h7v8h-13z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3l3.7 3.7",
  terminal: "M1.5 2.5h13v11h-13zM4 5.5l2.5 2.5l-2.5 2.5M8 10.5h4",
  question: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M6 6.3a2 2 0 1 1 2.7 1.9q-.7.4-.7 1.3M8 11.3v.4",
  check: "M2.5 8.5l3.5 3.5l7.5-8",
  cross: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  warning: "M8 2l6.5 11.5h-13zM8 6.5v3.5M8 11.6v.4",
  info: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M8 7.3v4M8 4.7v.4",
  list: "M6 4h8M6 8h8M6 12h8M2 4l.8.8l1.4-1.6M2 8l.8.8l1.4-1.6M2 12l.8.8l1.4-1.6",
  globe: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M1.5 8h13M8 1.5q-5 6.5 0 13q5-6.5 0-13",
  plug: "M5.5 1.5v3.5M10.5 1.5v3.5M3.5 5h9v2.5a4.5 4.5 0 0 1-9 0zM8 12v2.5",
  thought: "M8 1.5l1.5 4.5l4.5 1.5l-4.5 1.5l-1.5 4.5l-1.5-4.5l-4.5-1.5l4.5-1.5z",
  condense: "M2 3h12M2 13h12M8 4.5v2.5M6.5 5.7l1.5 1.5l1.5-1.5M8 11.5v-2.5M6.5 10.3l1.5-1.5l1.5 1.5",
  back: "M5.5 3l-3.5 3.5l3.5 3.5M2 6.5h7.5a4 4 0 0 1 0 8h-3",
  send: "M8 13.5v-11M3.5 7l4.5-4.5l4.5 4.5",
  stop: "M4 4h8v8h-8z",
  mode: "M2.5 4.5h11M2.5 11.5h11M5.5 2.5v4M10.5 9.5v4",
  shield: "M8 1.5l5.5 2v4q0 4.5-5.5 7q-5.5-2.5-5.5-7v-4z",
  down: "M4.5 6.5l3.5 3.5l3.5-3.5",
  spinner: "M8 1.5a6.5 6.5 0 0 1 6.5 6.5",
  clock: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M8 4.5v3.5l2.5 1.5",
} as const;

export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

/** A picture that says nothing to a screen reader: the words beside it do. */
export function icon(name: IconName): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon i-${name}`);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
