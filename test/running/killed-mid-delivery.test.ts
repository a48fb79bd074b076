import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseEnvironment, type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import {
  isSignedWith,
  type ReceivedEvent,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../harness/webhook-receiver.ts';

const EVENTS = 300;
/** So many get a response before the process is killed; the others in progress do not. */
const RESPONDED = 100;

describe('a server killed in the middle of delivering events', () => {
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  const folders: string[] = [];
  const processes: ServerProcess[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    receiver = await startWebhookReceiver((_event, response, count) => {
      if (count <= RESPONDED) response.end();
    });
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGTERM');
    await Promise.all(processes.map(({ finished }) => finished));
    await receiver.close();
    await database.drop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<ServerProcess & { readonly folder: string }> {
    const folder = await mkdtemp(path.join(tmpdir(), 'postrider-hooks-'));
    folders.push(folder);
    const started = startServerProcess(['start'], {
      ...databaseEnvironment(database),
      POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
      POSTRIDER_DATA_DIR: folder,
      POSTRIDER_PORT: '0',
    });
    processes.push(started);
    return Object.assign(started, { folder });
  }

  it('leaves the rest to another, which delivers every event at least once, each with its id and its body', async () => {
    const first = await start();
    const baseUrl = await first.ready;
    const { key } = JSON.parse(await readFile(path.join(first.folder, 'quickstart.json'), 'utf8'));
    const post = async (where: string, body: unknown) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await fetch(`${baseUrl}${where}`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(response.status).toBe(201);
      return (await response.json()) as { readonly id: string; readonly secret: string };
    };
    const { id, secret } = await post('/webhooks', { url: receiver.url, events: ['suppression.added'] });
    await post('/suppressions', { emails: Array.from({ length: EVENTS }, (_, n) => `p${n}@example.com`) });
    await receiver.count(RESPONDED + 1);
    first.child.kill('SIGKILL');
    await first.finished;
    const { sql } = database;
    const stored = await sql<{ id: string; body: string }[]>`SELECT id, body FROM webhook_events`;
    const bodies = new Map(stored.map((event) => [event.id, event.body]));
    expect(bodies.size).toBe(EVENTS);
    const left = await sql`SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ${id}`;
    expect(left.length).toBeGreaterThanOrEqual(EVENTS - RESPONDED);
    // What the killed one leased is free a minute later.
    await sql`UPDATE webhook_deliveries SET lease_until = lease_until - interval '1 minute' WHERE lease_until IS NOT NULL`;
    receiver.respond(200);
    await (await start()).ready;
    const isMissing = () => new Set(receiver.received.map(({ event }) => event.id)).size < EVENTS;
    while (isMissing()) await receiver.count(receiver.received.length + 1);
    const over = async () => (await sql`SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ${id}`).length;
    await expect.poll(over, { timeout: 15_000 }).toBe(0);

    const wrong = receiver.received.filter((received: ReceivedEvent) => {
      const eventId = String(received.headers['webhook-id']);
      return received.body !== bodies.get(eventId) || received.event.id !== eventId || !isSignedWith(received, secret);
    });
    expect(wrong).toEqual([]);
    const taken = await sql`SELECT DISTINCT event_id FROM webhook_attempts WHERE endpoint_id = ${id} AND succeeded`;
    expect(taken.length).toBe(EVENTS);
  }, 60_000);
});
