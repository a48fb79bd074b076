import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../cli/run-in-process.ts';
import { expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('GET /account/checklist', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const read = async (key: string) => (await server.call('GET', '/account/checklist', { key })).body;
  const done = async (key: string): Promise<readonly string[]> =>
    (await read(key)).items.filter((item: { done: boolean }) => item.done).map(({ id }: { id: string }) => id);

  it('lists the setup steps, each with what to do', {
    tags: ['account.checklist', 'account.checklist-fields'],
  }, async () => {
    const { key } = await server.newAccount();
    const { items, completed, total, ...rest } = await read(key);
    expect(rest).toEqual({});
    expect([items.length, completed]).toEqual([total, 1]);
    const words = expect.stringMatching(/\S/);
    for (const item of items) expect(item).toEqual({ id: words, label: words, done: expect.any(Boolean), fix: words });
    expect(new Set(items.map(({ id }: { id: string }) => id)).size).toBe(total);
    expect(await done(key)).toEqual(['key_used']);
  });

  it('marks each step as done, and all in the end', { tags: ['account.checklist'] }, async () => {
    const { accountId, key } = await server.newAccount();
    const { body } = await server.send({}, { key });
    await server.call('GET', `/emails/${body.id}?wait=10`, { key });
    expect(await done(key)).toEqual(['key_used', 'first_message_sent', 'first_message_delivered']);
    await server.call('POST', '/domains', { key, body: { name: 'pending.test' } });
    expect(await done(key)).toContain('domain_added');
    expect(await done(key)).not.toContain('domain_verified');
    await server.addDomain('verified.test', accountId);
    await server.newKey({ accountId, scopes: ['sending'] });
    await server.call('POST', '/templates', { key, body: { name: 'Hi', subject: 'Hi', text: 'Hi' } });
    const { items, completed, total } = await read(key);
    expect(completed).toBe(total);
    expect(items.every((item: { done: boolean }) => item.done)).toBe(true);
  });

  it('needs account:read, and is the same over the SDK and the CLI', {
    tags: ['contract-surfaces.sdk-checklist'],
  }, async () => {
    const { key } = await server.newAccount();
    const other = await server.newKey({ scopes: ['stats:read'] });
    expectProblem(await server.call('GET', '/account/checklist', { key: other }), 403, 'missing_scope');
    const { account } = new Postrider({ apiKey: key, baseUrl: server.baseUrl });
    expect(await account.checklist()).toEqual(await read(key));
    const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl };
    const json = await runInProcess(['account', 'checklist', '--json'], { env });
    // The CLI names its commands in the fixes, where the API names methods and paths.
    const { items, ...counts } = await read(key);
    const printed = JSON.parse(json.stdout);
    expect(printed).toEqual({
      ...counts,
      items: items.map((item: object) => ({ ...item, fix: expect.any(String) })),
    });
    const fixes = printed.items.map(({ fix }: { fix: string }) => fix);
    expect(fixes).toContain('Add your domain with `postrider domains add`.');
    expect(fixes.join(' ')).not.toMatch(/\b(GET|POST|PATCH|DELETE) \//);
    const shown = await runInProcess(['account', 'checklist'], { env: { ...env, NO_COLOR: '1' }, columns: 100 });
    expect(shown.stdout).toContain(
      '[x] Call the API with a key\n[ ] Send a first message\n    Send a test message with `postrider emails send`',
    );
    expect(shown.stderr).toContain('1 of ');
  });
});
