import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../tools/run-program.ts';
import { readTree } from './source-tree.ts';

const BINARIES = 'node_modules/.bin';
const tree = readTree();

/** The shell blocks of a page, in order. */
function shellBlocks(text: string): readonly string[] {
  return [...text.matchAll(/^```(?:sh|bash|shell)\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** The commands of a block: one per line, without comments, and with continued lines joined. */
function commandsOf(block: string): readonly string[] {
  return block
    .replaceAll('\\\n', ' ')
    .split(/\n|&&|;|\$\(/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** Programs of this repository that the page calls by a name that a fresh clone does not know. */
function unknownNames(text: string): readonly string[] {
  const aliases = new Set<string>();
  return shellBlocks(text)
    .flatMap(commandsOf)
    .filter((command) => {
      const [, name, target] = /^alias ([a-z-]+)="\$PWD\/([^"]+)"$/.exec(command) ?? [];
      if (name !== undefined && target === `${BINARIES}/${name}`) aliases.add(name);
      const word = command.split(/\s+/).find((part) => !/^[A-Z_]+=/.test(part)) ?? '';
      return /^postrider(?:-[a-z]+)?$/.test(word) && !aliases.has(word);
    });
}

/** The programs of this repository that the page calls by their path. */
function calledByPath(text: string): readonly string[] {
  return shellBlocks(text)
    .flatMap((block) => [...block.matchAll(/(?:\.|\$PWD)\/node_modules\/\.bin\/([a-z-]+)/g)])
    .map(([, name = '']) => name);
}

describe.each(['README.md', 'docs/quick-start.md'])('the commands in %s', (name) => {
  const { text } = tree.find((file) => file.path === name) ?? { text: '' };

  it('call the programs in a way that works in a fresh clone', () => {
    expect(unknownNames(text)).toEqual([]);
  });

  it('call programs that the installation puts there', () => {
    const programs = calledByPath(text);
    expect(programs).not.toEqual([]);
    for (const program of programs) accessSync(path.join(ROOT, BINARIES, program), constants.X_OK);
  });
});

describe('the check of the commands', () => {
  it.each([
    ['a bare name', 'postrider send --wait'],
    ['a bare name behind a variable', 'POSTRIDER_PORT=1 postrider-server start'],
    ['a bare name in a substitution', 'KEY=$(postrider keys create --json)'],
    ['an alias that comes too late', 'postrider send\nalias postrider="$PWD/node_modules/.bin/postrider"'],
  ])('finds %s', (_, block) => {
    expect(unknownNames(`\`\`\`sh\n${block}\n\`\`\`\n`)).toHaveLength(1);
  });

  it('accepts a path, and an alias set before', () => {
    const block =
      './node_modules/.bin/postrider send\nalias postrider="$PWD/node_modules/.bin/postrider"\npostrider send';
    expect(unknownNames(`\`\`\`sh\n${block}\n\`\`\`\n`)).toEqual([]);
  });
});
