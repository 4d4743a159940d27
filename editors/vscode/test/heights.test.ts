import assert from "node:assert/strict";
import { test } from "node:test";

import { Heights } from "../view/heights.ts";

function heights(...values: number[]): Heights {
  const made = new Heights(10);
  made.resize(values.length);
  values.forEach((value, index) => made.measure(index, value));
  return made;
}

test("rows are as high as guessed until they are measured", () => {
  const some = new Heights(10);
  some.resize(3);

  assert.equal(some.total, 30);
  assert.equal(some.measure(1, 50), 40);
  assert.equal(some.total, 70);
  assert.equal(some.before(2), 60);
});

test("only what shows is between, with a margin", () => {
  const some = heights(...Array<number>(5000).fill(20));

  assert.deepEqual(some.between(0, 100, 0), { first: 0, last: 5 });
  assert.deepEqual(some.between(1000, 1100, 40), { first: 47, last: 57 });
  assert.deepEqual(some.between(99_900, 100_000, 0), { first: 4994, last: 5000 });
});

test("rows that come and go leave the others' heights alone", () => {
  const some = heights(1, 2, 3);

  some.insert(0, 2);
  some.remove(3);

  assert.deepEqual([some.total, some.length], [10 + 10 + 1 + 3, 4]);
});
