import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from './connect.ts';

describe('a scheduled send over MCP', () => {
  const mail = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Later', text: 'Hi' };
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('returns the time it is sent at, in text and structured content', async () => {
    const tools = await connectTo(server);
    const { text, record } = await tools.call('send_email', { ...mail, scheduled_at: 'PT2H' });
    const now = await tools.call('send_email', { ...mail, subject: 'Now' });
    await tools.close();
    const { scheduledAt } = (await server.call('GET', `/emails/${record.id}`)).body;
    expect(scheduledAt).toMatch(/Z$/);
    expect(record.scheduledAt).toBe(scheduledAt);
    expect(text).toContain(`scheduledAt: ${scheduledAt}`);
    expect(now.record).not.toHaveProperty('scheduledAt');
    expect(text).toContain('reschedule_email (toolset logs) changes the time');
    expect(text).not.toContain('wait_for_email');
    expect(now.text).toContain('wait_for_email');
  });

  it('returns the time that was passed, in UTC, if the key cannot read messages', async () => {
    const key = await server.newKey({ scopes: ['emails:send'] });
    const tools = await connectTo(server, '', key);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { record } = await tools.call('send_email', { ...mail, scheduled_at: at });
    await tools.close();
    expect(record.scheduledAt).toBe(at);
  });
});
