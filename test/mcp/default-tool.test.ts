import { expect, it } from 'vitest';
import { defaultTool, describeBody } from '../../packages/mcp/src/default-tool.ts';
import { SURFACE, type SurfaceEntry } from '../../packages/mcp/src/surface.ts';
import { scriptInvoke } from './scripted-invoke.ts';

const mark = (text: string) => `<${text}>`;
const PAGE = { total: 2, totalIsEstimate: false, nextCursor: 'next' };

it('shows a page as rows and a cursor', () => {
  const rows = [
    { id: 'k1', name: 'One', scopes: ['a', 'b'], usedAt: null },
    { id: 'k2', name: 'Two\nlines', scopes: [], usedAt: 'now' },
  ];
  expect(describeBody({ testKeys: rows, ...PAGE }, mark)).toBe(
    [
      '2 of 2 test keys, newest first',
      '<- k1 | name One | scopes a, b',
      '- k2 | name Two lines | scopes none | usedAt now>',
      'Next page: the same arguments with cursor next',
    ].join('\n'),
  );
});

it('shows a record as its fields, and says of an empty response that it is done', () => {
  const record = { id: 'e1', bytes: 12, at: null, owner: { id: 'u1', name: 'Ada' }, parts: [{ id: 'p1', bytes: 2 }] };
  expect(describeBody(record, mark)).toBe('<id: e1\nbytes: 12\nowner:\n- u1\n- name Ada\nparts:\n- p1 | bytes 2>');
  expect(describeBody({}, mark)).toBe('Done.');
});

it.each(['get_key', 'list_keys', 'create_key', 'delete_webhook'])('creates a working tool for %s', async (name) => {
  const entry = entryOf(name);
  const tool = defaultTool(entry);
  const response = { id: 'k1', name: 'One', keys: [{ id: 'k1', name: 'One' }], ...PAGE };
  const { invoke, calls } = scriptInvoke({
    [entry.operation]: () => ({ ok: true, status: 200, body: response, headers: {} }),
  });
  const result = await tool.run(
    { id: 'k1' },
    { invoke, caller: 'k', signal: new AbortController().signal, report: null },
  );
  expect(result.isError).toBeUndefined();
  expect(calls).toHaveLength(1);
  expect(result.structuredContent).toMatchObject(response);
  expect(tool.definition.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  expect(tool.definition).toMatchObject({ name, title: entry.title, description: entry.description });
});

function entryOf(name: string): SurfaceEntry {
  const entry = SURFACE.find(({ tool }) => tool === name);
  if (entry === undefined) throw new Error(`no tool ${name}`);
  return entry;
}
