import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runInProcess } from './run-in-process.ts';

describe('postrider keys', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  /** As on a terminal without colours. */
  async function run(...argv: string[]) {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' };
    return await runInProcess(argv, { env, columns: 160 });
  }
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);

  it('creates a key with every restriction, shows its secret once, and says so', async () => {
    const { code, stdout, stderr } = await run(
      ...['keys', 'create', '--name', 'Agent', '--scope', 'emails:send', '--scope', 'emails:read', '--mode', 'test'],
      ...['--rate-limit', '60', '--recipient-allowlist', '@example.com', '--recipient-allowlist', '*.example.com'],
      ...['--ip-allowlist', '127.0.0.1', '--persona', '{"agentName":"bot"}', '--lock-persona'],
      ...['--send-limit', '{"hour":50,"day":1000}'],
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('shown only once')]);
    expect(stdout).toMatch(/^secret +pr_test_[0-9A-Za-z]{39}$/m);
    expect(stdout).toMatch(/^rate limit +60 requests per minute$/m);
    expect(stdout).toMatch(/^send limit +50 messages per hour, 1,000 messages per day$/m);
    expect(stdout).toMatch(/^networks +127\.0\.0\.1\/32$/m);
    expect(stdout).toMatch(/^persona +bot \(locked\)$/m);
    expect(stdout).toMatch(/^state +active$/m);
  });

  it('creates a key whose sends are held by rules, and shows them', async () => {
    const rules = '{"hasBcc":true,"recipientsOver":5,"linkDomainNotIn":["a.example","b.example"]}';
    const flags = ['--scope', 'emails:send', '--approval-mode', 'policy', '--hold-when', rules];
    const { code, stdout } = await run('keys', 'create', '--name', 'Held', ...flags);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^approval +policy: /m);
    for (const rule of ['hasBcc', 'recipientsOver 5', 'linkDomainNotIn a.example b.example'])
      expect(stdout).toContain(rule);
  });

  it('lists, reads, changes, rotates, pauses, resumes and revokes', async () => {
    const { id, key } = await json('keys', 'create', '--name', 'Billing', '--scope', 'sending');
    expect((await run('keys', 'list')).stdout).toMatch(/^NAME +KEY +STATE/);
    expect((await json('keys', 'list')).keys[0]).toMatchObject({ id, name: 'Billing' });
    expect((await json('keys', 'get', id)).name).toBe('Billing');
    expect((await json('keys', 'update', id, '--rate-limit', '7')).rateLimit).toBe(7);
    expect((await json('keys', 'rotate', id, '--grace-seconds', '60')).key).not.toBe(key);
    expect((await json('keys', 'pause', id)).pausedAt).not.toBeNull();
    expect((await run('keys', 'get', id)).stdout).toMatch(/^state +paused /m);
    expect((await json('keys', 'resume', id)).pausedAt).toBeNull();
    expect((await json('keys', 'revoke', id)).revokedAt).not.toBeNull();
    expect((await run('keys', 'get', id)).stdout).toMatch(/^state +revoked /m);
    expect((await run('keys', 'get', 'x')).code).toBe(5);
  });

  it('pauses and resumes the account', async () => {
    expect((await json('account', 'pause')).pausedAt).not.toBeNull();
    expect((await json('account', 'resume')).pausedAt).toBeNull();
  });
});
