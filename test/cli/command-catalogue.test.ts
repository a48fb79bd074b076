import { findOperation, type Operation } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeCommands } from '../../tools/generate/cli-commands.ts';
import { runAgainst, runInProcess } from './run-in-process.ts';

const OK = { status: 200, body: {} };

/** An operation with arguments of every kind; its id is a real one, since the SDK calls operations by id. */
const EVERY_KIND: Operation = {
  ...findOperation('requests.list'),
  description: 'Takes everything.',
  query: z.object({
    count: z.number().int().min(2).optional(),
    ratio: z.number().max(1).optional(),
    is_open: z.boolean().nullable().optional(),
    channel: z.string().optional(),
    kinds: z.array(z.enum(['a', 'b'])).optional(),
    email: z.string().optional(),
    emails: z.array(z.string()).optional(),
    utm: z.object({ source: z.string() }).optional(),
    files: z.array(z.object({ name: z.string() })).optional(),
    either: z.union([z.string(), z.number()]).optional(),
  }),
};
const commands = describeCommands([EVERY_KIND]);

/** What the request asks for. */
async function queryOf(argv: readonly string[]): Promise<Record<string, string[]>> {
  const { code, stderr, received } = await runAgainst([OK], ['requests', 'list', ...argv], { commands });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const query = new URL(received[0]?.url ?? '', 'http://localhost').searchParams;
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
}

describe('a flag', () => {
  it.each([
    [['--count', '2'], { count: ['2'] }],
    [['--ratio', '-0.5'], { ratio: ['-0.5'] }],
    [['--is-open'], { is_open: ['true'] }],
    [['--no-is-open'], { is_open: ['false'] }],
    [['--kind', 'a', '--kinds', 'b'], { kinds: ['a', 'b'] }],
    [['--kinds', 'a,b'], { kinds: ['a', 'b'] }],
    [['--email', 'x', '--emails', 'y', '--emails', 'z'], { email: ['x'], emails: ['y', 'z'] }],
    [['--utm', '{"source":"s"}'], { utm: ['{"source":"s"}'] }],
    [['--files', '[{"name":"n"}]'], { files: ['{"name":"n"}'] }],
    [['--either', '"text"'], { either: ['text'] }],
    [['--channel', 'mcp'], { channel: ['mcp'] }],
    [[], {}],
  ])('is derived from the schema: %j', async (argv, query) => {
    expect(await queryOf(argv)).toEqual(query);
  });

  it.each([
    [['--count', '1'], 'a whole number of at least 2'],
    [['--count', '2.5'], 'a whole number'],
    [['--ratio', '1.5'], 'of at most 1'],
    [['--kind', 'c'], 'one of: a, b'],
    [['--kind', 'a,'], 'one of: a, b'],
    [['--kind', 'A'], 'Did you mean a?'],
    [['--utm', '{source}'], 'JSON'],
  ])('rejects what does not have its form: %j', async (argv, words) => {
    const { code, stderr } = await runInProcess(['requests', 'list', ...argv], { commands });
    expect(code).toBe(2);
    expect(JSON.parse(stderr).detail).toContain(words);
  });
});

describe('an operation that cannot be a command', () => {
  it('is found when the catalog is built: a flag with two meanings', () => {
    const operation = { ...EVERY_KIND, query: z.object({ json: z.string().optional() }) };
    expect(() => describeCommands([operation])).toThrow('--json would have two meanings');
  });

  it('is found when the catalog is built: a positional argument that does not exist', () => {
    const operation = { ...EVERY_KIND, cli: { command: 'requests list', positional: ['id'] } };
    expect(() => describeCommands([operation])).toThrow('no argument is named id');
  });
});
