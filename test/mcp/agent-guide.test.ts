import { ERROR_CODES, OPERATIONS, type Operation } from '@postrider/core';
import { PROMPTS, renderAgentGuide, TOOLS } from '@postrider/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('the guide for agents', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  it('is served at /llms.txt to everyone, with the server’s own address', async () => {
    const response = await fetch(`${server.baseUrl}/llms.txt`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    const text = await response.text();
    expect(text).toBe(renderAgentGuide({ baseUrl: server.baseUrl }));
    expect(text).toMatch(/^# Postrider\n\n> /);
    expect(text).toContain(`POST ${server.baseUrl}/mcp`);
    expect((await fetch(`${server.baseUrl}/llms.txt`, { method: 'POST' })).status).toBe(405);
  });

  it('names every existing tool, prompt, operation and code', () => {
    const guide = renderAgentGuide({ baseUrl: 'https://mail.example.com' });
    const operations: readonly Operation[] = OPERATIONS;
    const names = [
      ...TOOLS.map(({ definition }) => `- \`${definition.name}\`: `),
      ...PROMPTS.map(({ name }) => `- \`${name}\` (`),
      ...operations
        .filter(({ aliasOf }) => aliasOf === undefined)
        .map(({ method, path }) => `- \`${method} ${path}\`: `),
      ...ERROR_CODES.map((code) => `- \`${code}\` (`),
    ];
    for (const name of names) expect(guide).toContain(name);
    // Short enough to be read whole.
    expect(guide.length).toBeLessThan(40_000);
  });
});
