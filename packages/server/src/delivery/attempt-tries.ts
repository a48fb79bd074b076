import { LIMITS } from '@postrider/core';
import type { ServerTry } from '../smtp-client/exchange.ts';
import { outcomeOf, replyOf } from '../smtp-client/server-try.ts';
import type { RecipientVerdict } from '../smtp-client/transport.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { factsOnly, formatTry } from './stored-attempt.ts';

/** What is known about an attempt besides its outcome. */
export interface AttemptNotes {
  /** The recipients that it was for. */
  readonly recipients: readonly { readonly ordinal: number; readonly email: string }[];
  /** What the transport noted. */
  readonly tries: readonly ServerTry[];
  /** When it started, by the monotonic clock. */
  readonly startedMs: number;
}

/**
 * The tries of an attempt in their stored form. If no server was tried, as with captured mail or a paused destination, one entry says what
 * happened. An attempt that adds no event is not stored: it did not count.
 *
 * @param verdicts or the reason why the message could not be sent at all.
 */
export function toTries(
  outcome: AttemptOutcome,
  verdicts: readonly RecipientVerdict[] | string,
  { recipients, tries, startedMs }: AttemptNotes,
): readonly string[] {
  if (recipients.length === 0 || outcome.recipients.every(({ events }) => events.length === 0)) return [];
  const now = new Date(outcome.at);
  const nowMs = performance.now();
  const noted = tries.length > 0 ? tries : [untried(verdicts, recipients, startedMs, nowMs)];
  return cap(noted.map((tried) => formatTry(tried, ordinalsOf(tried.recipients, recipients), now, nowMs)));
}

/** Keeps the conversations of the last servers, which decided. Of the first ones, only the facts stay if all together are too long. */
function cap(tries: readonly string[]): readonly string[] {
  if (tries.length === 1) return tries;
  let bytes = 0;
  return tries
    .toReversed()
    .map((tried) => {
      const facts = factsOnly(tried);
      const kept = bytes + Buffer.byteLength(tried) > LIMITS.attemptBytes ? facts : tried;
      bytes += Buffer.byteLength(kept);
      return kept;
    })
    .reverse();
}

function untried(
  verdicts: readonly RecipientVerdict[] | string,
  recipients: AttemptNotes['recipients'],
  startedMs: number,
  endedMs: number,
): ServerTry {
  const decided = typeof verdicts === 'string' ? null : verdicts;
  return {
    recipients: recipients.map(({ email }) => email),
    ...{ server: null, tls: null, isReused: false, lines: null, startedMs, endedMs },
    outcome: decided === null ? 'failed' : outcomeOf(decided),
    reply: typeof verdicts === 'string' ? verdicts : replyOf(verdicts),
  };
}

function ordinalsOf(emails: readonly string[], recipients: AttemptNotes['recipients']): readonly number[] {
  if (emails.length === recipients.length) return recipients.map(({ ordinal }) => ordinal);
  const wanted = new Set(emails);
  return recipients.filter(({ email }) => wanted.has(email)).map(({ ordinal }) => ordinal);
}
