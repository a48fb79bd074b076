import { describe, expect, it } from 'vitest';
import { paintFor } from '../../packages/cli/src/output/paint.ts';
import { renderTable } from '../../packages/cli/src/output/table.ts';
import { cutToWidth, padToWidth, textWidth } from '../../packages/cli/src/output/text-width.ts';
import { formatAge, formatTime } from '../../packages/cli/src/output/time.ts';
import { inertJson, severalLines, singleLine } from '../../packages/cli/src/output/untrusted-text.ts';

describe('text from elsewhere', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['8-bit control sequences', '\u009b31mred', 'red'],
    ['window titles', 'a\u001b]0;title\u0007b', 'ab'],
    ['links', '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\', 'click'],
    ['device control strings', 'a\u001bPq#0;2;0;0;0\u001b\\b\u0090x\u009cc', 'abc'],
    ['resets and charset switches', '\u001bc\u001b(0line', 'line'],
    ['an unfinished sequence', 'a\u001b]52;c;rest', 'a52;c;rest'],
    ['a sequence that hides in another', '\u001b\u001b[[31m', '31m'],
    ['a carriage return that would overwrite', 'shown\rother', 'shown other'],
    ['line breaks that would fake a line', 'a\nb\u2028c', 'a b c'],
    ['text direction marks', 'exe\u202egpj', 'exegpj'],
    ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
  ])('drops %s', (_, given, expected) => {
    expect(singleLine(given)).toBe(expected);
  });

  it('keeps its letters, line breaks and emoji in a body', () => {
    expect(severalLines('Grüße\r\n\tיוניקוד 👩‍👩‍👧\n')).toBe('Grüße\n    יוניקוד 👩‍👩‍👧\n');
  });

  it('is the same value in JSON without a raw control character', () => {
    const value = { text: '\u001b\u009b\u007f\u202e ü "\\' };
    expect(JSON.parse(inertJson(JSON.stringify(value)))).toEqual(value);
    expect(inertJson(JSON.stringify(value))).toContain('\\u009b');
  });

  it('is read in time proportional to its length', () => {
    const before = performance.now();
    singleLine('\u001b]'.repeat(200_000));
    singleLine(`\u001b[${'0;'.repeat(200_000)}`);
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

describe('the width of text', () => {
  it.each([
    ['plain', 5],
    ['日本', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['한글', 4],
    ['ａ', 2],
    ['ㄅ', 2],
    ['ꀀ', 2],
    ['㈱', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['', 0],
  ])('of %j is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('decides how text is cut and padded', () => {
    expect(cutToWidth('日本語', 5)).toBe('日本…');
    expect(cutToWidth('日本語', 4)).toBe('日…');
    expect(cutToWidth('日本語', 6)).toBe('日本語');
    expect(padToWidth('日', 4)).toBe('日  ');
  });
});

describe('a table', () => {
  const columns = [
    { title: 'id', cells: ['1', '22'] },
    { title: 'name', cells: ['Ada Lovelace', 'Bob'], minWidth: 5 },
    { title: 'note', cells: ['x', 'y'], dropOrder: 1 },
  ];
  const plain = paintFor(false);

  it('shows everything when there is room', () => {
    expect(renderTable(columns, 40, plain)).toBe('ID  NAME          NOTE\n1   Ada Lovelace  x\n22  Bob           y\n');
  });

  it('shortens columns that may be shortened, then omits columns', () => {
    expect(renderTable(columns, 16, plain)).toBe('ID  NAME    NOTE\n1   Ada L…  x\n22  Bob     y\n');
    expect(renderTable(columns, 10, plain)).toBe('ID  NAME\n1   Ada L…\n22  Bob\n');
  });

  it('never cuts an id, even where the terminal is too narrow', () => {
    expect(renderTable(columns, 3, plain)).toBe('ID  NAME\n1   Ada…\n22  Bob\n');
  });
});

describe('a time', () => {
  const now = new Date('2026-01-31T09:00:00Z');

  it.each([
    ['2026-01-31T08:59:48.000Z', '12s ago'],
    ['2026-01-31T08:55:00.000Z', '5m ago'],
    ['2026-01-31T06:00:00.000Z', '3h ago'],
    ['2026-01-01T09:00:00.000Z', '30d ago'],
    ['2026-01-31T09:00:05.000Z', '0s ago'],
    ['soon', 'soon'],
  ])('%s was %s', (iso, expected) => {
    expect(formatAge(iso, now)).toBe(expected);
  });

  it('is shown in UTC, and unchanged when it is invalid', () => {
    expect(formatTime('2026-01-31T10:00:00.123+01:00')).toBe('2026-01-31 09:00:00 UTC');
    expect(formatTime('never')).toBe('never');
  });
});
