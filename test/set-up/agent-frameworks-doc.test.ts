import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../tools/run-program.ts';

const DOCUMENT = readFileSync(path.join(ROOT, 'docs/agent-frameworks.md'), 'utf8');
const EXAMPLES = path.join(ROOT, 'tools/agents/examples');
const { dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'tools/agents/package.json'), 'utf8'));

it.each(readdirSync(EXAMPLES))('%s in docs/agent-frameworks.md is the code that `pnpm test:agents` runs', (name) => {
  expect(DOCUMENT).toContain(`\`\`\`ts\n${readFileSync(path.join(EXAMPLES, name), 'utf8')}\`\`\`\n`);
});

it('names the versions of the frameworks that the tests use', () => {
  const named = [...DOCUMENT.matchAll(/\| `([@a-z/-]+)` ([\d.]+) \|/g)].map(([, name = '', version = '']) => ({
    name,
    version,
  }));
  expect(named.map(({ name }) => name)).toEqual(['ai', '@openai/agents', '@langchain/langgraph']);
  expect(named.filter(({ name, version }) => !`${dependencies[name]}.`.startsWith(`${version}.`))).toEqual([]);
});
