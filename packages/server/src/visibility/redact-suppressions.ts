import { maySee, type Viewer } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { readMessageOwners } from '../db/queries/message-owners.ts';
import type { MessageOwner } from './redact-message.ts';

interface ShownSuppression {
  readonly email: string;
  readonly emailId: string | null;
}

/** Entries of the suppression list as a caller may see them. */
export async function redactSuppressions<Entry extends ShownSuppression>(
  query: Query,
  accountId: string,
  entries: readonly Entry[],
  viewer: Viewer,
): Promise<readonly Entry[]> {
  if (maySee(viewer, 'message.private', null)) return entries;
  const emailIds = entries.flatMap(({ emailId }) => emailId ?? []);
  const owners = new Map((await readMessageOwners(query, accountId, emailIds)).map((owner) => [owner.id, owner]));
  return entries.map((entry) =>
    entry.emailId === null ? entry : redactSuppression(entry, owners.get(entry.emailId) ?? null, viewer),
  );
}

/** The message that caused a suppression was sent to that address. If the address was a blind recipient, the message is not named. */
export function redactSuppression<Entry extends ShownSuppression>(
  entry: Entry,
  owner: MessageOwner | null,
  viewer: Viewer,
): Entry {
  const isBlind = owner === null || owner.blind.some((address) => address.toLowerCase() === entry.email.toLowerCase());
  const keyId = owner?.keyId ?? null;
  return isBlind && !maySee(viewer, 'message.private', keyId) ? { ...entry, emailId: null } : entry;
}
