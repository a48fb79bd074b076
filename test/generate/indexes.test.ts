import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { renderIndexes } from '../../tools/generate/indexes.ts';
import { keepOrder, namesListed } from '../../tools/generate/kept-order.ts';

const groupOf = (name: string) => name.split('_', 1)[0] ?? '';

it('keeps the order of a committed list, drops removed names and puts a new name last in its group', () => {
  const committed = ['b_two', 'b_one', 'gone', 'a_one'];
  const names = ['a_one', 'a_two', 'b_one', 'b_three', 'b_two', 'c_one'];
  const ordered = ['b_two', 'b_one', 'b_three', 'a_one', 'a_two', 'c_one'];
  expect(keepOrder(names, committed, groupOf)).toEqual(ordered);
  expect(keepOrder(names, ordered, groupOf)).toEqual(ordered);
});

it('lists the operations, handlers and tools that a tree has', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'indexes-'));
  try {
    await writeTree(root, {
      'packages/core/src/operations/keys/get.ts': "export const getKey = defineOperation({\n  id: 'keys.get',\n});\n",
      'packages/core/src/operations/keys/size.ts':
        "export const sizeKey = defineOperation({\n  id: 'keys.size',\n  mcp: {\n    tool: 'size_key',\n  },\n});\n",
      'packages/core/src/generated/operations.ts': 'export const OPERATIONS = [\n  sizeKey,\n  getGone,\n] as const;\n',
      'packages/server/src/operations/keys/size.ts': "export const sizeKey: Handler<'keys.size'> = async () => {};\n",
      'packages/mcp/src/tools/one-key.ts':
        'export const sizeKeyTool = oneKeyTool();\nexport function oneKeyTool(): ToolMaker {}\n',
    });
    const [registry, handlers, order, own] = await renderIndexes(root);
    expect(namesListed(registry?.content ?? '')).toEqual(['sizeKey', 'getKey']);
    expect(registry?.content).toContain("import { getKey } from '../operations/keys/get.ts';");
    expect(handlers?.content).toContain("  'keys.size': sizeKey,\n};");
    expect(namesListed(order?.content ?? '')).toEqual(['size_key']);
    expect(own?.content).toContain('> = {\n  size_key: sizeKeyTool,\n};');
  } finally {
    await rm(root, { recursive: true });
  }
});

async function writeTree(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
}
