import { describe, expect, it } from 'vitest';
import { isLargeJson, jsonPieces } from '../packages/server/src/json-pieces.ts';
import { HOSTILE_BODIES } from './harness/hostile-bodies.ts';

describe('JSON in pieces', () => {
  const joined = (value: unknown) => [...jsonPieces(value)].join('');

  it('is what JSON.stringify writes, whatever the value', () => {
    const large = 'x'.repeat(300_000);
    const date = new Date(0);
    for (const value of [
      ...[null, 1, true, '', 'short', large, [], {}, [[]], [large], { large }, date],
      { date, large, nothing: undefined, none: null, list: [undefined, large, date, [], {}], empty: {} },
      { 'a "name"': large, inner: { inner: { inner: [large, { a: 1, b: [true, false] }] } } },
      Array.from({ length: 100_000 }, (_, index) => ({ index, text: 'é' })),
    ]) {
      expect(joined(value)).toBe(JSON.stringify(value));
    }
  });

  it('writes every large text as JSON.stringify does, also when a piece ends within a character', () => {
    for (const make of Object.values(HOSTILE_BODIES)) {
      const text = make(300_000);
      expect(joined({ text }) === JSON.stringify({ text })).toBe(true);
    }
    for (const lead of ['', 'x']) {
      const text = `${lead}${'😀'.repeat(200_000)}\ud800`;
      expect(joined(text) === JSON.stringify(text)).toBe(true);
    }
  });

  it('writes no piece much longer than the others', () => {
    const pieces = [...jsonPieces({ html: '\u0001'.repeat(1_000_000), list: Array(100_000).fill('a word') })];
    expect(pieces.length).toBeGreaterThan(8);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1_000_000);
  });

  it('distinguishes large values from small ones by their strings and their members', () => {
    expect(isLargeJson({ html: 'x'.repeat(1_000), list: Array(1_000).fill(1) })).toBe(false);
    expect(isLargeJson({ deep: [{ html: 'x'.repeat(200_000) }] })).toBe(true);
    expect(isLargeJson(Array(200_000).fill(1))).toBe(true);
  });
});
