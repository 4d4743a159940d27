// What a command has written to a terminal, as words: the newest of it, without what steers the screen. Needs no editor.

const CHARACTERS = 20_000;
/** More than is told, since what steers the screen takes room, and some lines are written over many times. */
const RAW = 4 * CHARACTERS;

/** Strings for the terminal (titles, links, marks of shell integration), control sequences, and all other escapes; also ones that were cut off. */
const ESCAPES = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g;
const CONTROLS = /[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
/** Half of a character that takes two, as cutting leaves it. */
const HALVES = /\p{Surrogate}/gu;

export function plainText(raw: string): string {
  const text = raw.replace(ESCAPES, "").replace(CONTROLS, "");
  return text.split("\n").map(lastWritten).join("\n");
}

/** Programs that show how far they are go back to the beginning of the line, and write it anew. */
function lastWritten(line: string): string {
  return withoutErased(line.split("\r").findLast((part) => part !== "") ?? "");
}

function withoutErased(text: string): string {
  if (!text.includes("\b")) {
    return text;
  }
  const kept: string[] = [];
  for (const character of text) {
    if (character === "\b") {
      kept.pop();
    } else {
      kept.push(character);
    }
  }
  return kept.join("");
}

export class OutputTail {
  private raw = "";
  private plain: string | undefined = "";

  /** Whether anything came, be it only marks of the shell's. */
  get wasSeen(): boolean {
    return this.raw !== "";
  }

  add(chunk: string): void {
    this.raw += chunk;
    this.plain = undefined;
    if (this.raw.length > 2 * RAW) {
      const tail = this.raw.slice(-RAW);
      // From the beginning of a line, so that no half of an escape sequence is taken for text.
      this.raw = tail.slice(tail.indexOf("\n") + 1);
    }
  }

  text(): string {
    this.plain ??= plainText(this.raw).slice(-CHARACTERS).replace(HALVES, "");
    return this.plain;
  }
}
