import { countMessages } from '../../packages/server/src/db/queries/count-messages.ts';
import type { TestApp, TestResponse } from '../harness/test-app.ts';

/** Sends and waits until every outcome is recorded; returns the ids. */
export async function sendAll(
  server: TestApp,
  sends: readonly Readonly<Record<string, unknown>>[],
  key = server.key,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < sends.length; at += 100) {
    const emails = sends.slice(at, at + 100).map((send) => ({ from: 'ada@sandbox.test', subject: 'Hi', ...send }));
    const { body } = await server.call('POST', '/emails/batch', { key, body: { emails } });
    ids.push(...body.results.map(({ id }: { id: string }) => id));
  }
  await server.pump();
  for (const id of ids) await server.call('GET', `/emails/${id}?wait=20`, { key });
  return ids;
}

/** Counts what is noted, as the worker does by itself within a second. */
export async function countAll({ database }: TestApp): Promise<void> {
  const { sql } = database;
  for (;;) {
    await countMessages(sql);
    const [left] = await sql`SELECT EXISTS (SELECT FROM count_backlog) AS waiting`;
    if (left?.['waiting'] !== true) return;
  }
}

export async function readStats(server: TestApp, query = '', key = server.key): Promise<TestResponse['body']> {
  await countAll(server);
  return (await server.call('GET', `/account/stats${query}`, { key })).body;
}
