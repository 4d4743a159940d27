import assert from "node:assert/strict";
import { test } from "node:test";

import { type Inline, inline } from "../view/inline.ts";

const text = (value: string): Inline => ({ kind: "text", text: value });

const CASES: [string, Inline[]][] = [
  ["plain", [text("plain")]],
  ["", []],
  ["a `b c` d", [text("a "), { kind: "code", text: "b c" }, text(" d")]],
  ["``a ` b``", [{ kind: "code", text: "a ` b" }]],
  ["**bold**", [{ kind: "strong", children: [text("bold")] }]],
  ["*it* and _it_", [{ kind: "em", children: [text("it")] }, text(" and "), { kind: "em", children: [text("it")] }]],
  ["**a *b* c**", [{ kind: "strong", children: [text("a "), { kind: "em", children: [text("b")] }, text(" c")] }]],
  ["~~gone~~", [{ kind: "del", children: [text("gone")] }]],
  ["snake_case_name", [text("snake_case_name")]],
  ["2 * 3 * 4", [text("2 * 3 * 4")]],
  ["never *closed", [text("never *closed")]],
  ["never `closed", [text("never `closed")]],
  ["\\*not\\*", [text("*not*")]],
  ["C:\\new", [text("C:\\new")]],
  ["[a](b.md)", [{ kind: "link", href: "b.md", children: [text("a")] }]],
  ["[a](b(1).md) (c)", [{ kind: "link", href: "b(1).md", children: [text("a")] }, text(" (c)")]],
  ["[a](b(.md)", [{ kind: "link", href: "b(.md", children: [text("a")] }]],
  ["[not a link]", [text("[not a link]")]],
  ["![shot](http://x.test/p.png)", [{ kind: "link", href: "http://x.test/p.png", children: [text("shot")] }]],
  ["see https://x.test/a_b_c.", [text("see "), { kind: "link", href: "https://x.test/a_b_c", children: [text("https://x.test/a_b_c")] }, text(".")]],
  ["<https://x.test>", [{ kind: "link", href: "https://x.test", children: [text("https://x.test")] }]],
  ["<b>no html</b>", [text("<b>no html</b>")]],
];

for (const [source, pieces] of CASES) {
  test(`inline: ${JSON.stringify(source)}`, () => {
    assert.deepEqual(inline(source), pieces);
  });
}

test("long lines of marks that never close take time in proportion", () => {
  for (const mark of ["*a", "_a ", "`", "[", "**a", "~~", "[a](", "[a](b) (", "[a](((", "[[", "[a] ", "\\", "`` ` ", "*a **b ", "https:// "]) {
    const time = (times: number): number => {
      const source = mark.repeat(times);
      const before = process.cpuUsage();
      inline(source);
      const used = process.cpuUsage(before);
      return used.user + used.system;
    };
    time(10_000);
    const short = Math.max(Math.min(time(10_000), time(10_000), time(10_000)), 500);
    const long = Math.min(time(80_000), time(80_000), time(80_000));
    assert.ok(long / short < 8 * 4, `${JSON.stringify(mark)}: 8 times the text took ${(long / short).toFixed(1)} times as long`);
  }
});
