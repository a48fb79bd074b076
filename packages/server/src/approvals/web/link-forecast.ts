import { foldAddress } from '@postrider/core';
import { readHeldSend } from '../../db/queries/held-send.ts';
import type { Recipient } from '../../sending/recipients.ts';
import { foreseeApproval } from '../foresee-approval.ts';
import type { FoundHold } from './link-hold.ts';
import type { Forecast } from './view/acceptance-forecast.ts';

/**
 * What would keep the message of a link from being sent if it were approved now.
 * @param addresses the recipients after an edit; by default those of the message
 */
export async function foreseeByLink({ own, link }: FoundHold, addresses?: readonly string[]): Promise<Forecast> {
  const { database, installation } = own;
  const name = { accountId: link.accountId, id: link.approvalId, holder: null };
  const send = await readHeldSend(database.sql, name);
  if (send === null) return [];
  const recipients = addresses === undefined ? send.recipients : toRecipients(addresses);
  const settings = { ...installation, ...database };
  const { checks } = await foreseeApproval(
    database.sql,
    settings,
    { memberId: link.memberId },
    send,
    recipients,
    database.clock.now(),
  );
  return checks.flatMap(({ refusal }) => (refusal === null ? [] : [{ message: refusal.detail, fix: '' }]));
}

function toRecipients(addresses: readonly string[]): readonly Recipient[] {
  const each = new Map(addresses.map((email) => [foldAddress(email), email]));
  return [...each.values()].map((email, ordinal) => ({ ordinal, kind: 'to' as const, name: null, email }));
}
