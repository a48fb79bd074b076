import type { TextSink } from '../cli-io.ts';

/** Some lines on the terminal that are written over as a whole. */
export interface LiveBlock {
  /** `text` ends with a line break, and no line of it is wider than the terminal. */
  draw(text: string): void;
  /** Takes the lines away. */
  clear(): void;
}

/** Cursor to the first of so many lines, and everything from there on away (ECMA-48: CUU, ED). */
function upAndErase(lines: number): string {
  return lines === 0 ? '' : `\r\u001b[${lines}A\u001b[J`;
}

export function createLiveBlock(sink: TextSink): LiveBlock {
  let drawn = 0;
  return {
    draw(text) {
      sink.write(`${upAndErase(drawn)}${text}`);
      drawn = text.split('\n').length - 1;
    },
    clear() {
      if (drawn > 0) sink.write(upAndErase(drawn));
      drawn = 0;
    },
  };
}
