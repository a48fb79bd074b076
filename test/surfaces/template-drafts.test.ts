import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decidingKey, holdingKey } from '../approvals/approving.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('template drafts', () => {
  let server: TestApp;
  let agent: string;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key: agent } = await holdingKey(server));
    const body = { slug: 'welcome', name: 'Welcome', subject: 'Hi', html: '<p>Vetted</p>' };
    await server.call('POST', '/templates', { body });
  });
  afterAll(() => server.close());

  it('are what an agent creates over MCP, and the result says so', {
    tags: ['holes.template-drafts'],
  }, async () => {
    const client = new Client({ name: 'test', version: '0.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${agent}` } };
    const url = new URL(`${server.baseUrl}/mcp?toolsets=templates,approvals`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const call = async (name: string, given: Record<string, unknown>) => {
      const { content, structuredContent } = await client.callTool({ name, arguments: given });
      const [first] = Array.isArray(content) ? content : [];
      return { text: first?.type === 'text' ? first.text : '', record: structuredContent };
    };
    try {
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(['update_template', 'list_template_drafts', 'discard_template_draft']),
      );
      expect(names.filter((name) => /publish|approve|decide/.test(name))).toEqual([]);
      const changed = await call('update_template', { id: 'welcome', html: '<p>Pay here</p>' });
      expect(changed.text).toContain('version 2 (draft; the current one is 1)');
      expect(changed.text).toMatch(/Draft, not live: an approver must publish it.*version 1 until then.*tell the user/);
      expect(JSON.stringify(changed.record)).toContain('Draft, not live');
      const made = await call('create_template', { slug: 'mine', name: 'Mine', text: 'x' });
      expect(made.text).toMatch(/Draft, not live.*No one can send this template until then/);
      expect((await call('list_templates', {})).text).toContain('- mine (draft, cannot be sent yet)');
      const preview = await call('render_template', { id: 'welcome', version: 2 });
      expect(preview.text).toContain('It is a draft: it cannot be sent until an approver publishes it');
      const refused = await call('send_email', { from: 'a@sandbox.test', to: ['b@x.example'], template: 'mine' });
      expect(refused.text).toContain('is an unpublished draft');
      const listed = await call('list_template_drafts', {});
      expect(listed.text).toContain('- welcome, version 2 | Welcome | replaces version 1 | changes html');
      expect(listed.record).toMatchObject({ total: 2, drafts: [{ slug: 'mine' }, { changedParts: ['html'] }] });
      expect((await call('discard_template_draft', { id: 'mine' })).text).toContain('Discarded version 1 of mine');
      expect((await call('list_template_drafts', {})).record).toMatchObject({ total: 1 });
    } finally {
      await client.close();
    }
  });

  it('are listed, published and discarded by the SDK', async () => {
    const ours = new Postrider({ apiKey: await decidingKey(server), baseUrl: server.baseUrl });
    const theirs = new Postrider({ apiKey: agent, baseUrl: server.baseUrl });
    await theirs.templates.update('welcome', { subject: 'Hello' });
    const slugs: string[] = [];
    for await (const draft of ours.templates.drafts({ limit: 1 })) {
      slugs.push(draft.slug);
      const { contentHash } = draft;
      const published = await ours.templates.publish(draft.templateId, { version: draft.version, contentHash });
      expect(published).toMatchObject({ subject: 'Hello', currentVersion: draft.version });
    }
    expect(slugs).toEqual(['welcome']);
    await theirs.templates.update('welcome', { subject: 'Never' });
    expect((await theirs.templates.discard('welcome', {})).changes.subject).toEqual({
      before: 'Hello',
      after: 'Never',
    });
  });
});
