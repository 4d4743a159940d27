import assert from "node:assert/strict";
import { test } from "node:test";

import { type Block, BlockReader, blocksOf } from "../view/blocks.ts";

const item = (text: string, more: object = {}): object => ({ depth: 0, number: undefined, task: undefined, text, ...more });

const CASES: [string, unknown[]][] = [
  ["", []],
  ["one\ntwo\n\nthree", [{ kind: "paragraph", text: "one\ntwo" }, { kind: "paragraph", text: "three" }]],
  ["# A\ntext", [{ kind: "heading", level: 1, text: "A" }, { kind: "paragraph", text: "text" }]],
  ["text\n## B ##\n", [{ kind: "paragraph", text: "text" }, { kind: "heading", level: 2, text: "B" }]],
  ["#no heading", [{ kind: "paragraph", text: "#no heading" }]],
  ["```py\na = 1\n\nb\n```\nafter", [{ kind: "code", language: "py", text: "a = 1\n\nb" }, { kind: "paragraph", text: "after" }]],
  ["````\n```\n````", [{ kind: "code", language: "", text: "```" }]],
  ["~~~\nx\n~~~", [{ kind: "code", language: "", text: "x" }]],
  ["```\nnever closed", [{ kind: "code", language: "", text: "never closed" }]],
  ["- a\n- b", [{ kind: "list", items: [item("a"), item("b")] }]],
  ["1. a\n2) b", [{ kind: "list", items: [item("a", { number: 1 }), item("b", { number: 2 })] }]],
  ["- a\n  - b\n\n- c", [{ kind: "list", items: [item("a"), item("b", { depth: 1 }), item("c")] }]],
  ["- [x] done\n- [ ] open", [{ kind: "list", items: [item("done", { task: true }), item("open", { task: false })] }]],
  ["- a\n  goes on\n\nafter", [{ kind: "list", items: [item("a\ngoes on")] }, { kind: "paragraph", text: "after" }]],
  ["text\n- a", [{ kind: "paragraph", text: "text" }, { kind: "list", items: [item("a")] }]],
  ["> a\n> b\n\nc", [{ kind: "quote", text: "a\nb" }, { kind: "paragraph", text: "c" }]],
  ["a\n\n---\n\nb", [{ kind: "paragraph", text: "a" }, { kind: "rule" }, { kind: "paragraph", text: "b" }]],
  ["| a | b |\n|---|:-:|\n| 1 | x \\| y |", [{ kind: "table", rows: [["a", "b"], ["1", "x | y"]] }]],
  ["a | b\nno dashes", [{ kind: "paragraph", text: "a | b\nno dashes" }]],
];

for (const [source, blocks] of CASES) {
  test(`blocks: ${JSON.stringify(source)}`, () => {
    assert.deepEqual(blocksOf(source), blocks);
  });

  test(`the same in pieces: ${JSON.stringify(source)}`, () => {
    for (const size of [1, 2, 3, 7]) {
      const reader = new BlockReader();
      const out: Block[] = [];
      for (let at = 0; at < source.length; at += size) {
        out.push(...reader.feed(source.slice(at, at + size)));
        reader.open();
      }
      out.push(...reader.end());
      assert.deepEqual(out, blocks);
    }
  });
}
