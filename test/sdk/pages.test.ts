import { Page, Postrider } from '@postrider/sdk';
import { describe, expect, it } from 'vitest';
import { problem, type Reply, startScriptedServer } from './scripted-server.ts';

function page(ids: readonly string[], nextCursor: string | null): Reply {
  return { status: 200, body: { messages: ids.map((id) => ({ id })), total: 5, totalIsEstimate: false, nextCursor } };
}

const THREE_PAGES = [page(['a', 'b'], 'c1'), page(['c', 'd'], 'c2'), page(['e'], null)];

function clientOf(server: { readonly baseUrl: string }) {
  return new Postrider({ apiKey: 'pr_live_test', baseUrl: server.baseUrl });
}

async function idsOf(items: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of items) ids.push(id);
  return ids;
}

describe('a list', () => {
  it('awaited is its first page, with data and nextCursor', { tags: ['contract-surfaces.sdk-lists'] }, async () => {
    await using server = await startScriptedServer(THREE_PAGES);
    const first = await clientOf(server).emails.list({ limit: 2 });
    expect(first).toBeInstanceOf(Page);
    expect(first).toMatchObject({
      data: [{ id: 'a' }, { id: 'b' }],
      nextCursor: 'c1',
      total: 5,
      totalIsEstimate: false,
    });
    expect(server.received.map(({ url }) => url)).toEqual(['/emails?limit=2']);
  });

  it('iterated is every item of every page, each requested with the same filters', {
    tags: ['contract-surfaces.sdk-lists'],
  }, async () => {
    await using server = await startScriptedServer(THREE_PAGES);
    const items = clientOf(server).emails.list({ status: 'bounced', limit: 2 });
    expect(await idsOf(items)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(server.received.map(({ url }) => url)).toEqual([
      '/emails?status=bounced&limit=2',
      '/emails?status=bounced&limit=2&cursor=c1',
      '/emails?status=bounced&limit=2&cursor=c2',
    ]);
  });

  it('continues from a page that was awaited before', async () => {
    await using server = await startScriptedServer(THREE_PAGES);
    const first = await clientOf(server).emails.list();
    expect(await idsOf(first)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('returns the next page until there is none', async () => {
    await using server = await startScriptedServer(THREE_PAGES.slice(1));
    const first = await clientOf(server).emails.list();
    const second = await first.nextPage();
    expect(second?.data).toEqual([{ id: 'e' }]);
    expect(await second?.nextPage()).toBeNull();
  });

  it('reads no further than the caller needs', async () => {
    await using server = await startScriptedServer(THREE_PAGES);
    for await (const { id } of clientOf(server).emails.list()) if (id === 'b') break;
    expect(server.received).toHaveLength(1);
  });

  it('reads the items of each resource under their own name', async () => {
    const requests = { requests: [{ id: 'r1' }], total: 1, totalIsEstimate: false, nextCursor: null };
    await using server = await startScriptedServer([{ status: 200, body: requests }]);
    expect(await idsOf(clientOf(server).requests.list())).toEqual(['r1']);
  });

  it('rejects when a later page fails', async () => {
    await using server = await startScriptedServer([page(['a'], 'c1'), problem(422, 'invalid_cursor')]);
    await expect(idsOf(clientOf(server).emails.list())).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('can be chained like any promise', async () => {
    await using server = await startScriptedServer([page(['a'], null), problem(403, 'missing_scope')]);
    const client = clientOf(server);
    expect(await client.emails.list().then(({ total }) => total)).toBe(5);
    expect(await client.emails.list().catch(({ code }) => code)).toBe('missing_scope');
  });
});
