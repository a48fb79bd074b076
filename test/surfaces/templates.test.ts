import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('templates', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('have a method for each operation in the SDK', { tags: ['contract-surfaces.sdk-templates'] }, async () => {
    const { templates, emails } = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    const made = await templates.create({ name: 'From the SDK', subject: 'Hi {{ name }}', html: '<p>{{ name }}</p>' });
    expect(made).toMatchObject({ slug: 'from-the-sdk', currentVersion: 1 });
    await templates.update(made.slug, { text: 'Hi {{ name }}' });
    expect((await templates.get(made.id, { version: 1 })).text).toBeNull();
    const rendered = await templates.render(made.slug, { variables: { name: 'Ada' } });
    expect(rendered).toMatchObject({ text: 'Hi Ada', version: 2, missing: [] });
    expect((await templates.test(made.slug, { variables: { name: 'Ada' } })).status).toBe('queued');
    const sent = await emails.send({
      from: 'a@sandbox.test',
      to: ['delivered@sandbox.test'],
      template: `${made.slug}@2`,
      variables: { name: 'Bo' },
    });
    expect((await emails.get(sent.id, { wait: 10 })).template).toBe('from-the-sdk@2');
    const seen: string[] = [];
    for await (const { slug } of templates.list({ limit: 1 })) seen.push(slug);
    expect(seen).toContain('from-the-sdk');
    await templates.delete(made.id);
    const gone = await templates.get(made.id).catch((error: unknown) => error);
    expect(gone).toBeInstanceOf(PostriderError);
    expect(gone).toMatchObject({ code: 'not_found', status: 404 });
  });

  describe('over MCP', () => {
    let client: Client;
    beforeAll(async () => {
      const html = `<p>{{ name }}</p>${'x'.repeat(5_000)}`;
      const body = { slug: 'long', name: 'Long', subject: 'Hi {{ name }}', html, note: 'first' };
      await server.call('POST', '/templates', { body });
      client = new Client({ name: 'test', version: '0.0.0' });
      const requestInit = { headers: { authorization: `Bearer ${server.key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { requestInit }));
    });
    afterAll(() => client.close());

    const call = async (name: string, given: Record<string, unknown>) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
      const [first] = Array.isArray(content) ? content : [];
      return { text: first?.type === 'text' ? first.text : '', record: structuredContent, isError: isError === true };
    };

    it('are listed with their variables and without their bodies', async () => {
      const { text, record } = await call('list_templates', {});
      expect(text).toContain('- long (version 1) | Long | Hi {{ name }} | variables name');
      expect(record).toMatchObject({ templates: [{ slug: 'long', html: null, versions: [] }], total: 1 });
    });

    it('are read by slug, long bodies in parts', async () => {
      const { text, record } = await call('get_template', { id: 'long' });
      expect(text).toContain('Subject: Hi {{ name }}');
      expect(text).toContain('variables name');
      expect(text).toMatch(
        /Note: html: characters 1 to 4000 of \d+\. For the rest call get_template with body_offset 4000\./,
      );
      expect(record).toMatchObject({ slug: 'long', variables: [{ name: 'name', required: true }] });
      expect((await call('get_template', { id: 'long', body_offset: 4_000 })).text).toContain('This is the end.');
      expect((await call('get_template', { id: 'nope' })).text).toContain('not_found');
    });

    it('are rendered, and missing variables are named', async () => {
      expect((await call('render_template', { id: 'long' })).text).toContain('Missing, a send would be refused: name');
      const { text, record } = await call('render_template', { id: 'long', variables: { name: '<Ada>' } });
      expect(text).toContain('No variable is missing');
      expect(record).toMatchObject({ subject: 'Hi <Ada>', missing: [] });
      expect((await call('render_template', { id: 'long', html: 'x' })).isError).toBe(true);
    });

    it('are sent, and an error names what is missing', async () => {
      const email = { from: 'a@sandbox.test', to: ['delivered@sandbox.test'], template: 'long' };
      expect((await call('send_email', email)).text).toContain('variables.name');
      expect((await call('send_email', { ...email, variables: { name: 'Ada' } })).isError).toBe(false);
    });
  });
});
