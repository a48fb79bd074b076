import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import { findRequest } from '../db/queries/request-log.ts';
import { readTicketEvents } from '../db/queries/ticket-events.ts';
import { addressOf } from '../events/without-content.ts';
import { isUuid } from '../uuid-v7.ts';

interface CapturedContext {
  readonly requestLog: Record<string, unknown> | null;
  readonly emailTrail: Record<string, unknown> | null;
}

/** Other processes write the request log every 200 ms, after the requests: an immediate complaint must not arrive too early. */
const LOG_LAG_MS = 600;
const LOOK_EVERY_MS = 100;

/** The stored data of the request and the message that a ticket is about; null if the account has nothing with that id. */
export async function captureContext(
  tools: { readonly sql: Sql; readonly now: Date },
  about: { readonly accountId: string; readonly requestId: string | null; readonly emailId: string | null },
  signal: AbortSignal,
): Promise<CapturedContext> {
  const { accountId, requestId, emailId } = about;
  const [requestLog, emailTrail] = await Promise.all([
    requestId === null ? null : awaitRequest(tools, accountId, requestId, signal),
    emailId === null ? null : readEmailEvents(tools.sql, accountId, emailId),
  ]);
  return { requestLog, emailTrail };
}

/** A ticket leaves the installation, so it contains no content of a held message that no one has approved. */
async function readEmailEvents(sql: Sql, accountId: string, emailId: string): Promise<Record<string, unknown> | null> {
  const email = await readTicketEvents(sql, accountId, emailId, LIMITS.ticketEmailEvents);
  if (email === null) return null;
  const { isWithheld, ...shown } = email;
  return isWithheld ? { ...shown, from: addressOf(email.from), subject: null } : shown;
}

async function awaitRequest(
  { sql, now }: { readonly sql: Sql; readonly now: Date },
  accountId: string,
  requestId: string,
  signal: AbortSignal,
): Promise<Record<string, unknown> | null> {
  const since = new Date(now.getTime() - LIMITS.requestLogDays * 86_400_000);
  const id = isUuid(requestId) ? requestId : null;
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const [row] = await findRequest(sql, { accountId, requestId, id, since });
    if (row !== undefined) {
      const { rowId: _, createdAt, ...record } = row;
      return { ...record, createdAt: createdAt.toISOString() };
    }
    if (waitedMs >= LOG_LAG_MS || signal.aborted) return null;
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined); // It only fails with the signal.
  }
}
