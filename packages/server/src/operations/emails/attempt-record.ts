import { LIMITS, type MessageAttempt } from '@postrider/core';
import type { FullMessageRow } from '../../db/queries/read-messages.ts';
import { readTries } from '../../delivery/stored-attempt.ts';

/** The delivery attempts of a message, oldest first, one entry for each server that was tried. */
export function toAttempts({ attempts, recipients }: FullMessageRow): MessageAttempt[] {
  const entries = attempts.flatMap(({ id, attempt }) =>
    readTries(attempt).map(({ ordinals, startedAt, isReused, server, tls, conversation, ...rest }, index) => ({
      id: index === 0 ? id : `${id}-${index + 1}`,
      ...rest,
      // Recipients are in the order of their ordinals, which start at 0.
      recipients: ordinals.flatMap((ordinal) => recipients[ordinal]?.email ?? []),
      startedAt: startedAt.toISOString(),
      server: server === null ? null : { ...server },
      tls: tls === null ? null : { ...tls },
      connectionReused: isReused,
      conversation: conversation === null ? null : [...conversation],
    })),
  );
  return entries.slice(-LIMITS.attemptsShown);
}
