import { describe, expect, it } from 'vitest';
import { checkPatterns } from '../../tools/patterns/check-patterns.ts';
import { findPatterns } from '../../tools/patterns/find-patterns.ts';

const KNOWN = new Set<string>();

const faultsOf = async (code: string) => {
  const { faults } = await checkPatterns(findPatterns('planted.ts', code), [], KNOWN);
  return faults;
};

describe('the checker of regular expressions', () => {
  it.each([
    ['a literal that is quadratic', 'export const trim = (text: string) => text.replace(/\\s+$/, "");', '2nd degree'],
    ['an exponential one in a schema', 'const schema = z.string().regex(/^(a+)+$/);', 'exponential'],
    ['one built from constants', 'const A = "a*"; const B = A + "b"; new RegExp(B + "$", "g");', 'polynomial'],
    ['one built from another', ['const A = /a*/; RegExp(`$', '{A.source}b`);'].join(''), 'polynomial'],
    ['one built at run time', 'export const make = (name: string) => new RegExp(name);', 'only when it runs'],
  ])('finds %s', { tags: ['holes.linear-patterns'] }, async (_name, code, complaint) => {
    const faults = await faultsOf(code);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(complaint);
  });

  it('passes linear patterns, and what only looks like a regular expression', async () => {
    expect(await faultsOf('const a = /^[a-z]+$/i; const b = "/(a+)+$/"; const c = 1 / 2 / 3; // /(a+)+$/')).toEqual([]);
  });

  it('names an exception that nothing needs', async () => {
    const exception = { file: 'planted.ts', pattern: '/\\s+$/', why: 'a test' };
    const code = 'const a = /\\s+$/;';
    expect((await checkPatterns(findPatterns('planted.ts', code), [exception], KNOWN)).faults).toEqual([]);
    expect((await checkPatterns([], [exception], KNOWN)).faults).toEqual([
      'tools/patterns/exceptions.ts: nothing in planted.ts is /\\s+$/',
    ]);
  });
});
