import { type SendRequestInput, sendRequestSchema, toFieldProblems } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const VALID: SendRequestInput = { from: 'a@b.co', to: 'c@d.co', subject: 's', text: 't' };

function problemsOf(given: unknown, schema: z.ZodType = sendRequestSchema) {
  const result = schema.safeParse(given, { reportInput: true });
  return result.success ? [] : toFieldProblems(result.error.issues, 'body');
}

describe('the problems of a request', () => {
  it('name every missing field, not only the first', { tags: ['contract-errors.fields'] }, () => {
    expect(problemsOf({})).toEqual([
      ...['from', 'to', 'subject'].map((path) => ({ path, code: 'required', message: 'is required' })),
      expect.objectContaining({ path: 'html', code: 'required' }),
    ]);
  });

  it('name an unknown field', () => {
    expect(problemsOf({ ...VALID, subjekt: 'x' })).toEqual([
      { path: 'subjekt', code: 'unknown_field', message: '`subjekt` is not a known field; omit it or correct it' },
    ]);
  });

  it('give the whole path of an unknown field in an object', () => {
    const nested = z.strictObject({ inner: z.strictObject({}) });
    expect(problemsOf({ inner: { hologram: 1 } }, nested)).toMatchObject([
      { path: 'inner.hologram', code: 'unknown_field' },
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('name the unknown field %s', (name) => {
    const given: unknown = JSON.parse(
      JSON.stringify(VALID).replace('{', `{${JSON.stringify(name)}:{"polluted":true},`),
    );
    expect(problemsOf(given)).toMatchObject([{ path: name, code: 'unknown_field' }]);
    expect({}).not.toHaveProperty('polluted');
  });

  it('give the position in a list, and in a union the branch that was meant', () => {
    expect(problemsOf({ ...VALID, to: ['c@d.co', 'no address'] })).toMatchObject([
      { path: 'to.1', code: 'invalid_email', message: 'has no `@`' },
    ]);
    expect(problemsOf({ ...VALID, to: 'no address' })).toMatchObject([{ path: 'to', code: 'invalid_email' }]);
    expect(problemsOf({ ...VALID, to: ['c@d.co', 5] })).toMatchObject([{ path: 'to.1', code: 'invalid_type' }]);
    expect(problemsOf({ ...VALID, to: {} })).toMatchObject([{ path: 'to', code: 'invalid_type' }]);
    expect(problemsOf({ ...VALID, to: [] })).toMatchObject([{ path: 'to', code: 'too_few' }]);
  });

  it.each([
    [{ subject: '' }, 'subject', 'too_short'],
    [{ subject: 'x'.repeat(999) }, 'subject', 'too_long'],
    [{ subject: 5 }, 'subject', 'invalid_type'],
    [{ subject: null }, 'subject', 'invalid_type'],
    [{ subject: 'a\r\nBcc: x@y.co' }, 'subject', 'forbidden_character'],
    [{ channel: 'fax' }, 'channel', 'invalid_value'],
    [{ tags: 'one' }, 'tags', 'invalid_type'],
    [{ tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }, 'tags', 'too_many'],
    [{ headers: { From: 'x' } }, 'headers.From', 'header_refused'],
    [{ headers: { 'X-A': 'b\nc' } }, 'headers.X-A', 'forbidden_character'],
    [{ metadata: { a: 1 } }, 'metadata.a', 'invalid_type'],
  ])('%j breaks a rule at %s: %s', (changes, path, code) => {
    expect(problemsOf({ ...VALID, ...changes })).toMatchObject([
      { path, code, message: expect.stringMatching(/^[a-z`]/) },
    ]);
  });

  it('say what is wrong with the name of an entry', () => {
    const [problem] = problemsOf({ ...VALID, metadata: { ['k'.repeat(65)]: 'v' } });
    expect(problem).toMatchObject({ path: `metadata.${'k'.repeat(65)}`, code: 'too_long' });
    expect(problem?.message).toContain('at most 64 characters');
  });

  it('refer to the body as a whole when it is not an object', () => {
    for (const given of [null, [], 'text', 5, true]) {
      expect(problemsOf(given)).toMatchObject([{ path: 'body', code: 'invalid_type' }]);
    }
    expect(problemsOf(undefined)).toEqual([{ path: 'body', code: 'required', message: 'is required' }]);
  });

  it('have codes of their own for numbers out of range and for fractions', () => {
    const schema = z.object({ n: z.number().int().min(1).max(3) });
    expect(problemsOf({ n: 4 }, schema)).toMatchObject([{ path: 'n', code: 'out_of_range' }]);
    expect(problemsOf({ n: 0 }, schema)).toMatchObject([{ path: 'n', code: 'out_of_range' }]);
    expect(problemsOf({ n: 1.5 }, schema)).toMatchObject([{ path: 'n', code: 'invalid_type' }]);
  });
});
