// Where rows lie when only some of them are on the page: the height of each as measured, or guessed until then.

export class Heights {
  private heights: number[] = [];

  constructor(private readonly guess: number) {}

  get length(): number {
    return this.heights.length;
  }

  resize(length: number): void {
    while (this.heights.length < length) {
      this.heights.push(this.guess);
    }
    this.heights.length = length;
  }

  insert(index: number, count: number): void {
    this.heights.splice(index, 0, ...Array<number>(count).fill(this.guess));
  }

  remove(index: number): void {
    this.heights.splice(index, 1);
  }

  /** Notes what a row measures; by how much that differs from before. */
  measure(index: number, height: number): number {
    const difference = height - (this.heights[index] ?? 0);
    this.heights[index] = height;
    return difference;
  }

  before(index: number): number {
    let sum = 0;
    for (let at = 0; at < index; at++) {
      sum += this.heights[at] ?? 0;
    }
    return sum;
  }

  get total(): number {
    return this.before(this.heights.length);
  }

  /** The rows that show between two distances from the top, and `margin` more on each side. */
  between(top: number, bottom: number, margin: number): { first: number; last: number } {
    let at = 0;
    let sum = 0;
    while (at < this.heights.length && sum + (this.heights[at] ?? 0) < top - margin) {
      sum += this.heights[at] ?? 0;
      at++;
    }
    const first = at;
    while (at < this.heights.length && sum < bottom + margin) {
      sum += this.heights[at] ?? 0;
      at++;
    }
    return { first, last: at };
  }
}
