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
  /** Addresses there are test addresses, which never enter the suppression list. */
  readonly sandboxDomain: string;
}

/**
 * Lets a recipient out, for all mail of the account: the address goes on its suppression list and `unsubscribed` on the message's trail. A
 * second time changes nothing. Answers who it was; null where the message is gone from the log.
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
    // An entry that ends some day would let mail through again that the recipient does not want.
    await suppress(transaction, ids, [entry], { now, actor: 'recipient', replacesTemporary: true });
    return recipient;
  });
}
