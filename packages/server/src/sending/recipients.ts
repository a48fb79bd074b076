import { foldAddress, type Mailbox, type RecipientKind, type SendRequest } from '@postrider/core';

export interface Recipient {
  readonly ordinal: number;
  readonly kind: RecipientKind;
  readonly name: string | null;
  readonly email: string;
}

/** The recipients of a send without duplicates: the first occurrence of an address counts, in the order to, cc, bcc. */
export function collectRecipients(request: Pick<SendRequest, 'to' | 'cc' | 'bcc'>): readonly Recipient[] {
  const seen = new Set<string>();
  const recipients: Recipient[] = [];
  const add = (kind: RecipientKind, mailboxes: readonly Mailbox[]) => {
    for (const { name, address } of mailboxes) {
      const folded = foldAddress(address);
      if (seen.has(folded)) continue;
      seen.add(folded);
      recipients.push({ ordinal: recipients.length, kind, name, email: address });
    }
  };
  add('to', request.to);
  add('cc', request.cc ?? []);
  add('bcc', request.bcc ?? []);
  return recipients;
}
