import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../cli/run-in-process.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('suppressions over every surface', () => {
  let server: TestApp;
  let client: Postrider;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
  });
  afterAll(() => server.close());

  const cli = async (...argv: readonly string[]) => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    return JSON.parse((await runInProcess(['suppressions', ...argv, '--json'], { env })).stdout);
  };

  it('are methods of the SDK, named by operation id', { tags: ['contract-surfaces.sdk-suppressions'] }, async () => {
    const added = await client.suppressions.create({ email: 'Ann+x@Bücher.example', note: 'by the SDK' });
    expect(added).toMatchObject({ email: 'ann+x@xn--bcher-kva.example', note: 'by the SDK' });
    const many = await client.suppressions.create({ emails: ['a@sdk.example', 'b@sdk.example'] });
    expect(many).toMatchObject({ added: 2, existing: 0 });
    expect(await client.suppressions.get('Ann+x@Bücher.example')).toEqual(added);
    const page = await client.suppressions.list({ q: 'sdk.example', limit: 1 });
    expect([page.data.length, page.nextCursor]).toEqual([1, expect.any(String)]);
    const seen: string[] = [];
    for await (const { email } of client.suppressions.list({ q: 'sdk.example', limit: 1 })) seen.push(email);
    expect(seen).toEqual(['b@sdk.example', 'a@sdk.example']);
    expect(await client.suppressions.delete('ann+x@bücher.example', { note: 'done' })).toEqual(added);
    const again = client.suppressions.delete('ann+x@bücher.example');
    await expect(again).rejects.toMatchObject({ code: 'not_found', status: 404 });
    await expect(again).rejects.toBeInstanceOf(PostriderError);
  });

  it('are the same over REST, the SDK and the CLI', async () => {
    await client.suppressions.create({ email: 'same@example.com', reason: 'complaint' });
    const { body } = await server.call('GET', '/suppressions/same@example.com');
    expect(await client.suppressions.get(body.id)).toEqual(body);
    expect(await cli('get', body.email)).toEqual(body);
    expect((await cli('list', '--reason', 'complaint')).suppressions).toEqual([body]);
    expect(await cli('remove', 'same@example.com')).toEqual(body);
  });
});
