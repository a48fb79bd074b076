import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { type Mailbox, parseMailbox } from './email-address.ts';
import { transformed } from './parse-steps.ts';

export const RECIPIENT_KINDS = ['to', 'cc', 'bcc'] as const;
export type RecipientKind = (typeof RECIPIENT_KINDS)[number];

/** One mailbox as a string, parsed here so that later code does not parse it again. */
export const mailboxSchema = transformed(z.string(), (given, context): Mailbox & { readonly given: string } => {
  const verdict = parseMailbox(given);
  if (verdict.ok) return { ...verdict.mailbox, given };
  context.addIssue({ message: verdict.message, params: { code: 'invalid_email' } });
  return z.NEVER;
});

/** One mailbox or several; parses to an array. */
export function recipientsSchema(minItems: number) {
  const list = z.array(mailboxSchema).min(minItems).max(LIMITS.addressesPerField);
  return z.union([transformed(mailboxSchema, (mailbox) => [mailbox]), list]);
}
