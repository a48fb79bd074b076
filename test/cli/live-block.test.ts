import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { createLiveBlock } from '../../packages/cli/src/output/live-block.ts';

/** A block in a window of this size. */
function drawIn(columns: number, rows: number) {
  const window = new Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true });
  let pending = Promise.resolve();
  const sink = {
    write: (text: string) => {
      pending = pending.then(() => new Promise((done) => window.write(text, done)));
    },
    get columns() {
      return window.cols;
    },
    get rows() {
      return window.rows;
    },
  };
  const screen = async () => {
    await pending;
    const { active } = window.buffer;
    const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  };
  return { block: createLiveBlock(sink), screen, resize: (cols: number) => window.resize(cols, rows) };
}

const LINES = ['head', 'one', 'two', 'three', 'four', 'foot'];
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

describe('a block of lines that is redrawn in place', () => {
  it.each([
    [20, 24, LINES.join('\n')],
    [20, 7, LINES.join('\n')],
    [20, 6, 'head\none\ntwo\n…\nfoot'],
    [20, 5, 'head\none\n…\nfoot'],
    [20, 2, 'foot'],
  ])('never grows beyond a window of %i by %i', async (columns, rows, shown) => {
    const { block, screen } = drawIn(columns, rows);
    for (let times = 0; times < 3; times++) block.draw(text(LINES));
    expect(await screen()).toBe(shown);
    block.clear();
    expect(await screen()).toBe('');
  });

  it('leaves nothing behind when the window shrinks, with or without colors', async () => {
    const { block, screen, resize } = drawIn(40, 12);
    block.draw(text(['\u001b[31ma line of thirty-one characters\u001b[39m', '你好你好你好你好', 'foot']));
    await screen();
    resize(10);
    block.draw(text(['a line of thirty-one characters', 'foot']));
    expect(await screen()).toBe(
      'a line of\nthirty-one\n characters\nfoot'.replace(
        'a line of\nthirty-one\n characters',
        'a line of \nthirty-one\n character\ns',
      ),
    );
    block.clear();
    expect(await screen()).toBe('');
  });
});
