import { LIMITS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { createJsonCounter, type JsonFault } from '../../packages/server/src/http/json-counter.ts';

/** What a counter says of a text that arrives in pieces of this size. */
function count(text: string | Buffer, pieceBytes = 64 * 1024): JsonFault | null {
  const bytes = Buffer.from(text as string);
  const counter = createJsonCounter();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const fault = counter.look(bytes.subarray(at, at + pieceBytes));
    if (fault !== null) return fault;
  }
  return null;
}

const list = (values: number) => `[${'1,'.repeat(values - 1)}1]`;
const object = (names: number) => `{${Array.from({ length: names }, () => '"":1').join(',')}}`;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('counting what a JSON text would cost to parse', () => {
  it('accepts what is at each limit and rejects the next', () => {
    expect(count(list(LIMITS.jsonValues))).toBeNull();
    expect(count(list(LIMITS.jsonValues + 1))).toMatchObject({ code: 'payload_too_large' });
    expect(count(object(LIMITS.jsonNames))).toBeNull();
    expect(count(object(LIMITS.jsonNames + 1))?.detail).toContain(`${LIMITS.jsonNames} names`);
    expect(count(nested(LIMITS.jsonDepth))).toBeNull();
    expect(count(nested(LIMITS.jsonDepth + 1))).toMatchObject({ code: 'invalid_json' });
    expect(count('1'.repeat(LIMITS.jsonNumberCharacters))).toBeNull();
    expect(count('1'.repeat(LIMITS.jsonNumberCharacters + 1))?.detail).toContain('A number');
    expect(count(`"${'x'.repeat(LIMITS.jsonStringBytes - 1)}"`)).toBeNull();
    expect(count(`"${'x'.repeat(LIMITS.jsonStringBytes)}"`)?.detail).toContain('The `content` of an attachment');
  });

  it('counts nothing within strings, however they are cut into pieces', () => {
    const tricky = ['"', '\\', '\\"', '\\\\"[', '{:,}', ']', '\\\\\\"', 'ü', 'x'.repeat(70), '"'.repeat(70)];
    const text = JSON.stringify({ list: tricky, [tricky.join('')]: nested(40) });
    const inStrings = `{"a":${JSON.stringify('[{":,\\'.repeat(100))},"b":${nested(LIMITS.jsonDepth - 1)}}`;
    for (const pieceBytes of [1, 2, 3, 5, 63, 64, 65, 1_000]) {
      expect(count(text, pieceBytes), `${pieceBytes}`).toBeNull();
      expect(count(inStrings, pieceBytes), `${pieceBytes}`).toBeNull();
      expect(count(inStrings.replace(/\}$/, `,"c":${nested(LIMITS.jsonDepth)}}`), pieceBytes)).toMatchObject({
        code: 'invalid_json',
      });
    }
  });

  it('finds the end of a string behind any number of backslashes', () => {
    for (let backslashes = 0; backslashes < 200; backslashes += 1) {
      const isOpen = backslashes % 2 === 1;
      const text = `"${'\\'.repeat(backslashes)}"${nested(LIMITS.jsonDepth + 1)}`;
      for (const pieceBytes of [1, 7, 64 * 1024]) {
        expect([backslashes, count(text, pieceBytes) === null]).toEqual([backslashes, isOpen]);
      }
    }
  });

  it.each([
    ['escaped quotes', '\\"'],
    ['backslashes', '\\\\'],
    ['short strings', '","'],
    ['far quotes', `${'x'.repeat(100)}\\"`],
  ])('takes linear time: %s', (_name, unit) => {
    const cpuMsOf = (length: number) => {
      const text = Buffer.from(`"${unit.repeat(Math.floor(length / unit.length))}`);
      const counter = createJsonCounter();
      const before = process.cpuUsage();
      for (let at = 0; at < text.length; at += 65_536) counter.look(text.subarray(at, at + 65_536));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    // Ten times the text takes ten times the time; 100 times if each character looked at all before it.
    expect(cpuMsOf(5_000_000)).toBeLessThan(40 * Math.max(cpuMsOf(500_000), 5));
  });
});
