import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { foldAddress, type Mailbox, parseMailbox } from './email-address.ts';
import { transformed } from './parse-steps.ts';

export const RECIPIENT_KINDS = ['to', 'cc', 'bcc'] as const;
export type RecipientKind = (typeof RECIPIENT_KINDS)[number];

/** One mailbox as a string, parsed here so that later code does not parse it again. */
export const mailboxSchema = mailboxOf('pass one address');

/** The same in a list, or where a list can be passed. */
export const mailboxItemSchema = mailboxOf('pass each address as an item of a list');

/** One mailbox or several; parses to an array. */
export function recipientsSchema(minItems: number) {
  const list = z.array(mailboxItemSchema).min(minItems).max(LIMITS.addressesPerField);
  return z.union([transformed(mailboxItemSchema, (mailbox) => [mailbox]), list]);
}

/** An address in a query, in the form in which addresses are compared. */
export const addressFilterSchema = transformed(z.string(), (given, context): string => {
  const verdict = parseMailbox(given);
  if (verdict.ok) return foldAddress(verdict.mailbox.address);
  const message = SPACE_IN_LOCAL_PART.test(given) ? DECODED_PLUS : verdict.message;
  context.addIssue({ message, params: { code: 'invalid_email' } });
  return z.NEVER;
});

/** What `ada+news@example.com` becomes in a query if the `+` is not encoded. */
const SPACE_IN_LOCAL_PART = /^[^\s@<]+ [^@<]*@[^@]*$/;
const DECODED_PLUS = 'has a space before the `@`; if it was a `+`, write it as `%2B` in the URL';

/** @param ifSeveral what to do with several addresses in one string */
export function mailboxOf(ifSeveral: string) {
  return transformed(z.string(), (given, context): Mailbox & { readonly given: string } => {
    const verdict = parseMailbox(given, ifSeveral);
    if (verdict.ok) return { ...verdict.mailbox, given };
    context.addIssue({ message: verdict.message, params: { code: 'invalid_email' } });
    return z.NEVER;
  });
}
