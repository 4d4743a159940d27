import assert from "node:assert/strict";
import { test } from "node:test";

import { OutputTail, plainText } from "../src/terminalOutput.ts";

const CASES: [string, string][] = [
  ["", ""],
  ["plain\ttext\n", "plain\ttext\n"],
  ["one\r\ntwo\r\n", "one\ntwo\n"],
  ["\x1b[1;31mred\x1b[0m and \x1b[38;2;1;2;3mtrue\x1b[m", "red and true"],
  ["\x1b[?25lhidden\x1b[?25h\x1b[2K\x1b[10;3H", "hidden"],
  ["\x1b]633;C\x07output\r\n\x1b]633;D;0\x07", "output\n"],
  ["\x1b]8;;https://x.test\x1b\\link\x1b]8;;\x1b\\", "link"],
  ["\x1bP1$r0m\x1b\\after", "after"],
  ["\x1b(B\x1b=\x1b>\x1b7text\x1b8", "text"],
  ["\x9b31mred\x9b0m", "red"],
  ["\x9d0;title\x9ctext", "text"],
  ["cut \x1b", "cut "],
  ["cut \x1b[38;5", "cut "],
  ["cut \x1b]0;tit", "cut "],
  ["10%\r50%\r100%\r\ndone", "100%\ndone"],
  ["still 50%\r", "still 50%"],
  ["N\bNA\bA\b", "N"],
  ["a\b\b\bb", "b"],
  ["😀\bx", "x"],
  ["bell\x07 and \x00nothing\x7f", "bell and nothing"],
  ["[31m is text, ü and 日本 too", "[31m is text, ü and 日本 too"],
];

for (const [raw, text] of CASES) {
  test(`terminal output: ${JSON.stringify(raw)}`, () => {
    assert.equal(plainText(raw), text);
  });
}

test("a sequence that comes in two pieces is none of the text", () => {
  const output = new OutputTail();
  output.add("a\x1b[3");
  const before = output.text();
  output.add("1mb\x1b[0m");

  assert.deepEqual([before, output.text()], ["a", "ab"]);
});

test("marks alone are no text, but tell that a command was seen", () => {
  const [silent, unseen] = [new OutputTail(), new OutputTail()];
  silent.add("\x1b]633;C\x07");

  assert.deepEqual([silent.text(), silent.wasSeen, unseen.wasSeen], ["", true, false]);
});

test("of much output the newest is kept", () => {
  const output = new OutputTail();
  const line = `\x1b[32m${"x".repeat(98)}\x1b[0m\r\n`;
  for (let count = 0; count < 20_000; count++) {
    output.add(line);
  }
  output.add("the end");

  assert.equal(output.text(), `${`${"x".repeat(98)}\n`.repeat(300)}the end`.slice(-20_000));
});

test("what is cut begins with no half of an escape sequence", () => {
  const output = new OutputTail();
  for (let count = 0; count < 20_000; count++) {
    output.add(`${"\x1b[38;2;100;100;100m".repeat(50)}.\r\n`);
  }

  assert.match(output.text(), /^[.\n]+$/);
});

test("a character is not cut in half", () => {
  const output = new OutputTail();
  output.add(`${"😀".repeat(20_000)}.`);

  assert.equal(output.text(), `${"😀".repeat(9_999)}.`);
});

test("long output that never closes what it opens takes time in proportion", () => {
  for (const mark of ["\r", "\b", "\x1b", "\x1b[", "\x1b]", "\x1b[0", "\x9b ", "\x1bP\x1b", "\x1b "]) {
    const time = (times: number): number => {
      const source = mark.repeat(times);
      const before = process.cpuUsage();
      plainText(source);
      const used = process.cpuUsage(before);
      return used.user + used.system;
    };
    time(10_000);
    const short = Math.max(Math.min(time(10_000), time(10_000), time(10_000)), 500);
    const long = Math.min(time(80_000), time(80_000), time(80_000));
    assert.ok(long / short < 8 * 4, `${JSON.stringify(mark)}: 8 times the text took ${(long / short).toFixed(1)} times as long`);
  }
});
