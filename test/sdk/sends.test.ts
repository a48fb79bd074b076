import { Postrider, type SendRequest } from '@postrider/sdk';
import { describe, expect, it } from 'vitest';
import { type Reply, startScriptedServer } from './scripted-server.ts';

const email: SendRequest = { from: 'app@example.com', to: ['ada@example.org'], subject: 'Hello', text: 'Hi Ada' };
const batch: Reply = { status: 207, body: { accepted: 1, refused: 0, total: 1, results: [] } };

function clientOf({ baseUrl }: { readonly baseUrl: string }) {
  return new Postrider({ apiKey: 'pr_live_test', baseUrl, maxRetries: 1 });
}

describe('emails.sendBatch', () => {
  it('adds the channel to every send in it, keeps a caller’s own, and leaves invalid sends to the server', async () => {
    await using server = await startScriptedServer([batch]);
    // What plain JavaScript may pass; the types allow sends alone.
    const emails = [email, { ...email, channel: 'smtp' }, null, 'x'] as SendRequest[];
    await clientOf(server).emails.sendBatch({ emails });
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      emails: [{ channel: 'sdk', ...email }, { ...email, channel: 'smtp' }, null, 'x'],
    });
  });

  it('is repeated with one and the same idempotency key', async () => {
    await using server = await startScriptedServer(['reset', batch]);
    await clientOf(server).emails.sendBatch({ emails: [email] });
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  });
});

describe('a call about one message', () => {
  it('uses the path of its operation, and only a resend is retried automatically', async () => {
    const ok: Reply = { status: 200, body: { id: 'm1' } };
    await using server = await startScriptedServer([ok, ok, 'reset', ok]);
    const client = clientOf(server);
    await client.emails.cancel('m1');
    await client.emails.reschedule('m1', { scheduled_at: 'PT2H' });
    await client.emails.resend('m1');
    expect(server.received.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/emails/m1/cancel', ''],
      ['PATCH', '/emails/m1', '{"scheduled_at":"PT2H"}'],
      ['POST', '/emails/m1/resend', ''],
      ['POST', '/emails/m1/resend', ''],
    ]);
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys.slice(0, 2)).toEqual([undefined, undefined]);
    expect(keys[3]).toBe(keys[2]);
  });
});

/** Compiled only: what a caller sees of the result, by what the request says of `dry_run`. */
export async function resultsOfSends(postrider: Postrider, request: SendRequest, isRehearsal: boolean) {
  const accepted: string = (await postrider.emails.send(request)).id;
  const rehearsed: boolean = (await postrider.emails.send({ ...request, dry_run: true })).ok;
  const either = await postrider.emails.send({ ...request, dry_run: isRehearsal });
  return 'id' in either ? [accepted, rehearsed, either.id] : [accepted, rehearsed, either.ok];
}
