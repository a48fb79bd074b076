import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunOptions } from '../../packages/server/src/db/query-result.ts';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

const EVENTS = 5_000;
/** The widest queue claims 25 widths of 50 ahead, and more once a third of them is left. */
const REFILL_BELOW = 417;
/** A claim with so many rows may have left some, so the next one follows at once. */
const CLAIM_ROWS = 1_000;

let world: HandMadeDispatcher;
let receiver: WebhookReceiver;
beforeAll(async () => {
  world = await startHandMadeDispatcher();
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await world.close();
  await receiver.close();
  expect(world.faults).toEqual([]);
});

it('claims no more for a queue that the last claim has filled, even if it was nearly empty meanwhile', async () => {
  const claims: { readonly waiting: number; readonly rows: number }[] = [];
  /** Holds the rows of a claim that fills the queue back until everything that was claimed before has been started. */
  async function run<Row>(text: string, parameters?: readonly unknown[], options?: RunOptions) {
    if (!text.includes('pg_try_advisory_xact_lock')) return await world.sql.run<Row>(text, parameters, options);
    const waiting = dispatcher.load().taken;
    const rows = await world.sql.run<Row>(text, parameters, options);
    claims.push({ waiting, rows: rows.length });
    while (isFilling(rows.length) && dispatcher.load().taken > 0) await new Promise((resolve) => setImmediate(resolve));
    return rows;
  }
  const { sql } = world;
  const dispatcher = world.another({ ...sql, run });
  await world.events(await world.endpoint(receiver.url), EVENTS);
  void dispatcher.pump();
  await receiver.count(EVENTS);
  await dispatcher.idle();
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(EVENTS);
  const filled = claims.slice(0, -1).map(({ rows }) => isFilling(rows));
  expect(filled).toContain(true);
  const waiting = claims.slice(1).map((claim) => claim.waiting);
  expect(waiting.filter((count, index) => filled[index] && count >= REFILL_BELOW)).toEqual([]);
});

function isFilling(rows: number): boolean {
  return rows >= REFILL_BELOW && rows < CLAIM_ROWS;
}
