import { LIMITS } from '@postrider/core';
import { ProblemError } from '../../problem.ts';
import { EVENT_STREAM_HEADERS } from '../../server-sent-events.ts';
import { isUuid } from '../../uuid-v7.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { streamEvents } from '../../webhooks/stream-events.ts';
import type { Handler } from '../context.ts';
import { validationFailed } from '../parse-part.ts';

/** Streams the account's events as they happen, until the client disconnects, the key ends or the server stops. */
export const streamWebhookEvents: Handler<'webhooks.stream'> = async (
  { query, headers },
  { services: { database, webhooks }, caller, signal },
) => {
  const { sql, clock, ids } = database;
  const { listening } = webhooks;
  const { accountId, keyId } = caller;
  const lastEventId = headers['last-event-id'] || null;
  if (lastEventId !== null && !isUuid(lastEventId)) throw validationFailed([NO_EVENT_ID]);
  const types = query.events === undefined ? null : new Set<string>(query.events);
  // Taken before the feed is open, so that no event is missed between the two.
  const beginId = ids.next(clock.now());
  const feed = await listening.feeds.open({ accountId, types, isAllowed: () => listening.mayListen(caller) });
  if (feed === null) throw new ProblemError('rate_limited', TOO_MANY);
  if (signal.aborted) feed.close();
  signal.addEventListener('abort', () => feed.close(), { once: true });
  const request = {
    accountId,
    types,
    lastEventId,
    beginId,
    secret: listening.secretOf(keyId),
    viewer: viewerOf(caller),
  };
  return {
    headers: EVENT_STREAM_HEADERS,
    body: streamEvents(request, feed, { sql, clock }),
  };
};

const NO_EVENT_ID = {
  path: 'last-event-id',
  code: 'invalid_id',
  message: 'must be the id of an event that the stream sent',
} as const;

const TOO_MANY = {
  detail: `The account already has ${LIMITS.webhookStreamsPerAccount} event streams open.`,
  fix: 'Close one of them; one stream can carry all event types.',
  headers: { 'retry-after': '5' },
};
