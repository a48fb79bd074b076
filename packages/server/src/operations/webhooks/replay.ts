import { LIMITS } from '@postrider/core';
import { countReplay, type ReplaySelection, readReplay, requeueEvents } from '../../db/queries/webhook-replays.ts';
import { ProblemError } from '../../problem.ts';
import type { Handler } from '../context.ts';
import type { Database } from '../database.ts';
import { enabledEndpoint } from './known-endpoint.ts';

const DAY_MS = 86_400_000;
/** The number of events that one statement queues. */
const BATCH = 2_000;

/** Delivers the events of a window again, or returns their number. */
export const replayWebhook: Handler<'webhooks.replay'> = async (
  { params, body },
  { services: { database, webhooks }, caller },
) => {
  const { accountId } = caller;
  const now = database.clock.now();
  const { id: endpointId } = await enabledEndpoint(database.sql, accountId, params.id);
  const { since, until = now, events: types = null, ids = null, status = null } = body;
  if (since > now || until < since) throw outOfOrder(since > now);
  if (until.getTime() - since.getTime() > LIMITS.webhookReplayDays * DAY_MS) {
    throw new ProblemError('window_too_large', {
      detail: `A replay covers at most ${LIMITS.webhookReplayDays} days, from \`since\` to \`until\`.`,
      fix: 'Replay shorter windows one after the other.',
    });
  }
  const selection = { accountId, endpointId, since, until, types, ids, status };
  if (body.dryRun === true)
    return { status: 200, body: { wouldQueue: await countReplay(database.readsSql, selection) } };
  const queued = await queue(database, selection, now);
  webhooks.wake();
  return { body: { queued } };
};

/**
 * Works in batches, because a week can have more events than one statement should move. What was queued before a batch fails stays queued.
 */
async function queue({ sql, readsSql }: Database, selection: ReplaySelection, now: Date): Promise<number> {
  let queued = 0;
  for (let after: string | null = null; ; ) {
    const eventIds: readonly string[] = await readReplay(readsSql, selection, after, BATCH);
    if (eventIds.length > 0) queued += await requeueEvents(sql, { ...selection, eventIds }, now);
    if (eventIds.length < BATCH) return queued;
    after = eventIds.at(-1) ?? null;
  }
}

function outOfOrder(isInFuture: boolean): ProblemError {
  const [path, message] = isInFuture ? ['since', 'must not be in the future'] : ['until', 'must not be before `since`'];
  return new ProblemError('validation_failed', {
    detail: `${path}: ${message}.`,
    errors: [{ path, code: 'out_of_range', message }],
  });
}
