import { foldAddress } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { lockMessageEvents, type RecipientRow, readRecipient, recordUnsubscribed } from '../db/queries/unsubscribes.ts';
import { suppress } from '../suppressions/suppress.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { UnsubscribeSubject } from './unsubscribe-links.ts';

export interface UnsubscribeTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Addresses at this domain are test addresses, which are never suppressed. */
  readonly sandboxDomain: string;
}

/**
 * Unsubscribes a recipient from all mail of the account: adds the address to the suppression list and `unsubscribed` to
 * the message's event log. Repeating it changes nothing. Returns the recipient, or null if the message is no longer in
 * the log.
 */
export async function unsubscribe(tools: UnsubscribeTools, subject: UnsubscribeSubject): Promise<RecipientRow | null> {
  const { sql, clock, ids, sandboxDomain } = tools;
  const now = clock.now();
  return await sql.begin(async (transaction) => {
    await lockMessageEvents(transaction, subject);
    const recipient = await readRecipient(transaction, subject);
    if (recipient === null) return null;
    const email = foldAddress(recipient.email);
    const suppressible = email.endsWith(`@${sandboxDomain}`) ? null : email;
    await recordUnsubscribed(transaction, {
      ...{ ...subject, email: recipient.email, suppressible, now },
      eventId: ids.next(now),
    });
    if (suppressible === null) return recipient;
    const { accountId, messageId: emailId } = subject;
    const entry = {
      accountId,
      id: ids.next(now),
      email,
      reason: 'unsubscribe',
      emailId,
      note: null,
      expiresAt: null,
    } as const;
    // An entry that expires would later allow mail that the recipient does not want.
    await suppress(transaction, ids, [entry], { now, actor: 'recipient', replacesTemporary: true });
    return recipient;
  });
}
