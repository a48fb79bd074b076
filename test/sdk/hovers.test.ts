import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { argumentsOf, findOperation } from '@postrider/core';
import { describe, expect, it } from 'vitest';

const GENERATED = path.resolve(import.meta.dirname, '../../packages/sdk/src/generated');

/** The doc comment directly above the first line that begins with `declaration`, as one line of text. */
async function commentAbove(file: string, declaration: string, after = ''): Promise<string> {
  const source = await readFile(path.join(GENERATED, file), 'utf8');
  const lines = source.slice(Math.max(source.indexOf(after), 0)).split('\n');
  const at = lines.findIndex((line) => line.trimStart().startsWith(declaration));
  const above = lines.slice(0, at);
  const begin = above.findLastIndex((line) => line.trimStart().startsWith('/**'));
  expect(above.at(-1), `no comment above ${declaration}`).toMatch(/\*\/$/);
  return above
    .slice(begin)
    .map((line) => line.replace(/^\s*(?:\/\*\*|\*\/|\*)\s?/, '').replace(/\s*\*\/$/, ''))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('an editor shows, from the doc comments of the SDK,', () => {
  it.each([
    ['emails.send', 'resources/emails.ts', 'send('],
    ['emails.list', 'resources/emails.ts', 'list('],
    ['domains.verify', 'resources/domains.ts', 'verify('],
    ['account.stats', 'resources/account.ts', 'stats('],
  ] as const)('the description of %s in the contract', async (id, file, declaration) => {
    const { summary, description } = findOperation(id);
    const comment = await commentAbove(file, declaration);
    expect(comment.startsWith(`${summary}. `)).toBe(true);
    expect(comment).toContain(description);
  });

  it.each(['to', 'subject', 'scheduled_at', 'template'])('the description of the field %s of a send', async (name) => {
    const field = argumentsOf(findOperation('emails.send')).find((argument) => argument.name === name);
    const description = field?.schema['description'];
    expect(description).toBeTypeOf('string');
    const declaration = field?.required === true ? `${name}: ` : `${name}?: `;
    const comment = await commentAbove('schema.ts', declaration, '        SendRequest: {');
    expect(comment).toContain(description);
  });
});
