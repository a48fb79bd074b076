import { TOOLSET_NAMES } from '@postrider/core';
import { DEFAULT_TOOLSET, TOOLS } from '@postrider/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStdioArguments } from '../../packages/mcp/src/stdio-arguments.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from './connect.ts';

const DEFAULT_NAMES = DEFAULT_TOOLSET.map(({ tool }) => tool);
const PING = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describe('toolsets over HTTP', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  async function listed(query: string, key = server.key): Promise<string[]> {
    const connection = await connectTo(server, query, key);
    try {
      return await connection.list();
    } finally {
      await connection.close();
    }
  }

  it('leave the default tools when none is requested', async () => {
    expect(await listed('')).toEqual(DEFAULT_NAMES);
  });

  it('add their tools to the default ones, in the same order for any order of the names', async () => {
    const names = await listed('toolsets=suppressions,templates,templates');
    expect(names).toEqual([
      ...DEFAULT_NAMES,
      ...['create_template', 'update_template', 'list_template_drafts', 'discard_template_draft'],
      ...['delete_template', 'test_template', 'preview_template'],
      ...['get_suppression', 'add_suppression', 'remove_suppression'],
    ]);
    expect(await listed('toolsets=templates,%20suppressions')).toEqual(names);
  });

  it('are all known by name', async () => {
    expect(await listed(`toolsets=${TOOLSET_NAMES.join(',')}`)).toEqual(TOOLS.map(({ definition }) => definition.name));
  });

  it.each([['domain'], ['templates,'], ['Templates'], [''], ['all']])(
    'reject the name in %j, and list the existing ones',
    async (name) => {
      const path = `/mcp?toolsets=${encodeURIComponent(name)}`;
      const { status, body } = await server.call('POST', path, { body: PING });
      expect(status).toBe(422);
      expect(body).toMatchObject({
        code: 'validation_failed',
        errors: [{ path: 'toolsets', code: 'unknown_toolset' }],
      });
      for (const known of TOOLSET_NAMES) expect(body.detail).toContain(known);
    },
  );

  it('are named once, and readonly is true or false', async () => {
    for (const query of ['toolsets=logs&toolsets=account', 'readonly=1', 'readonly=true&readonly=true', 'tools=logs']) {
      expect(await server.call('POST', `/mcp?${query}`, { body: PING })).toMatchObject({ status: 422 });
    }
    expect(await listed('readonly=false')).toEqual(DEFAULT_NAMES);
  });

  it('keep only reading tools when readonly is requested', async () => {
    const names = await listed('toolsets=templates,account,domains&readonly=true');
    expect(names).toEqual(expect.arrayContaining(['list_emails', 'preview_email', 'get_account', 'get_domain']));
    const effects = TOOLS.filter(({ definition }) => names.includes(definition.name)).map(
      ({ operation }) => operation.effect,
    );
    expect([...new Set(effects)]).toEqual(['read']);
    expect(names).not.toContain('send_email');
  });

  it('give a key no more than its scopes allow', async () => {
    const key = await server.newKey({ scopes: ['templates:read'] });
    const names = await listed('toolsets=templates,suppressions,account,logs', key);
    const own = ['list_template_drafts', 'discard_template_draft', 'preview_template'];
    expect(names).toEqual(['get_sending_context', 'list_templates', 'get_template', 'render_template', ...own]);
    const connection = await connectTo(server, 'toolsets=templates', key);
    const { record, isError } = await connection.call('create_template', { name: 'No', html: 'x' });
    await connection.close();
    expect(isError).toBe(true);
    expect(record.error.code).toBe('missing_scope');
  });

  it('reject a tool that was left out with text for the model, and do nothing', async () => {
    const plain = await connectTo(server);
    const missing = await plain.call('create_template', { name: 'Left out', html: 'x' });
    expect(missing).toMatchObject({ isError: true, record: { error: { code: 'not_found', retryable: false } } });
    expect(missing.text).toContain('create_template is not available on this connection');
    expect(missing.text).toContain('with `?toolsets=templates` in the server');
    await plain.close();
    const reading = await connectTo(server, 'readonly=true');
    const sent = await reading.call('send_email', {
      from: 'a@sandbox.test',
      to: 'b@sandbox.test',
      subject: 's',
      text: 't',
    });
    expect(sent.isError).toBe(true);
    expect(sent.text).toContain('without read-only mode');
    await reading.close();
    expect((await server.call('GET', '/emails')).body.total).toBe(0);
    expect((await server.call('GET', '/templates')).body.total).toBe(0);
  });

  it('reject what never reaches an operation with the page of its code and the request, as the API would', {
    tags: ['contract-errors.mcp'],
  }, async () => {
    const call = async (name: string, args: object) => {
      const params = { name, arguments: args };
      const { headers, body } = await server.call('POST', '/mcp', {
        headers: { accept: 'application/json' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      });
      return { requestId: headers.get('x-request-id'), ...body.result };
    };
    for (const [name, args, code] of [
      ['create_template', { name: 'Left out', html: 'x' }, 'not_found'],
      ['send_email', { channel: 'api' }, 'validation_failed'],
      ['get_email', { id: 'x', body_offset: -1 }, 'validation_failed'],
    ] as const) {
      const { requestId, structuredContent, content } = await call(name, args);
      const type = `${server.baseUrl}/reference#error-${code}`;
      expect(structuredContent.error).toMatchObject({ type, code, requestId, fix: expect.stringMatching(/\S/) });
      expect(content[0].text).toContain(`, request ${requestId})`);
    }
  });
});

describe('the arguments of the stdio program', () => {
  it('request toolsets and read-only tools', () => {
    expect(readStdioArguments([])).toEqual({ kind: 'serve', toolsets: [], readOnly: false });
    const asked = { kind: 'serve', toolsets: ['templates', 'domains'], readOnly: true };
    expect(readStdioArguments(['--toolsets', 'domains,templates', '--readonly'])).toEqual(asked);
    expect(readStdioArguments(['--readonly', '--toolsets=domains,templates'])).toEqual(asked);
    expect(readStdioArguments(['-h'])).toEqual({ kind: 'help' });
  });

  it.each([['--toolsets=nope'], ['--toolsets='], ['--toolsets'], ['--read-only'], ['serve']])(
    'are rejected when they are wrong: %s',
    (argument) => {
      expect(readStdioArguments([argument])).toMatchObject({ kind: 'wrong', reason: expect.stringMatching(/\S/) });
    },
  );
});
