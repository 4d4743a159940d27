// Colours for code that hold for nearly all languages: comments, strings, numbers and the common keywords. One pass, linear.

import { h } from "./dom.ts";

const KEYWORDS = new Set(
  `abstract and as async await bool boolean break case catch char class const continue def default del do double elif else enum except export
  extends false False final finally float fn for from func function global goto if impl implements import in int interface is lambda let local
  long match mod module mut namespace new nil None nonlocal not null or package pass private protected pub public raise repeat return self
  static string struct super switch then this throw trait true True try type typeof undefined union unless until use using var void when where
  while with yield`.split(/\s+/),
);
const HASH = new Set(["py", "python", "sh", "bash", "zsh", "ruby", "rb", "perl", "yaml", "yml", "toml", "make", "makefile", "r", "dockerfile", "nix", "elixir", "jl"]);
const DASH = new Set(["lua", "sql", "haskell", "hs", "ada"]);
const PROSE = new Set(["", "text", "txt", "md", "markdown", "log", "output", "csv"]);
const MOST = 200_000;

export function highlighted(language: string, text: string): Node[] {
  const name = language.toLowerCase();
  if (name === "diff" || name === "patch") {
    return diffLines(text);
  }
  return PROSE.has(name) || text.length > MOST ? [document.createTextNode(text)] : tokens(name, text);
}

function tokens(language: string, text: string): Node[] {
  const comment = HASH.has(language) ? "#[^\\n]*" : DASH.has(language) ? "--[^\\n]*" : "\\/\\/[^\\n]*|\\/\\*[^]*?(?:\\*\\/|$)";
  const strings = `"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:[^"\\\\\\n]|\\\\.)*"?|'(?:[^'\\\\\\n]|\\\\.)*'?|\`(?:[^\`\\\\]|\\\\.)*\`?`;
  const pattern = new RegExp(`(${comment})|(${strings})|(\\b\\d[\\w.]*)|([A-Za-z_$][\\w$]*)`, "g");
  const nodes: Node[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, isComment, isString, isNumber] = match;
    const kind = isComment ? "comment" : isString ? "string" : isNumber ? "number" : KEYWORDS.has(whole) ? "keyword" : undefined;
    if (kind) {
      nodes.push(document.createTextNode(text.slice(at, match.index)), h("span", { class: `t-${kind}` }, whole));
      at = match.index + whole.length;
    }
  }
  nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}

function diffLines(text: string): Node[] {
  return text.split(/(?<=\n)/).map((line) => {
    const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@@") ? "header" : "same";
    return h("span", { class: `d-${kind}` }, line);
  });
}
