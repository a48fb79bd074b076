import { describe, expect, it } from 'vitest';
import { createProgram } from '../harness/oauth-program.ts';
import { signInAs } from '../harness/session.ts';
import { startTestApp } from '../harness/test-app.ts';

describe('a server', () => {
  it('that fetches nothing does not say that it does, and lets programs register', async () => {
    const server = await startTestApp({ settings: { POSTRIDER_PROGRAMS: 'registered' } });
    const { body: metadata } = await server.call('GET', '/.well-known/oauth-authorization-server', { key: null });
    expect(metadata.client_id_metadata_document_supported).toBe(false);
    const owner = await signInAs(server, 'owner@sandbox.test');
    const program = await createProgram(server);
    const { access } = await program.signIn(owner);
    expect((await program.callTool(access, 'get_sending_context')).status).toBe(200);
    const published = await createProgram(server, { clientId: 'https://client.example/metadata.json' });
    await expect(published.ask(owner)).rejects.toThrow(/^400/);
    await server.close();
  });

  it('that lets no program sign in has no endpoints for it, and refuses tokens issued before', async () => {
    const first = await startTestApp();
    const program = await createProgram(first);
    const { access } = await program.signIn(await signInAs(first, 'owner@sandbox.test'));
    const server = await startTestApp({ database: first.database, settings: { POSTRIDER_PROGRAMS: 'off' } });
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/authorize', '/oauth/consent/x']) {
      expect((await server.call('GET', path, { key: null })).status).toBe(404);
    }
    const refused = await server.call('POST', '/mcp', { key: access, body: {} });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="postrider"']);
    expect(refused.body.detail).toContain('does not let programs sign in');
    await server.close();
    await first.close();
  });
});
