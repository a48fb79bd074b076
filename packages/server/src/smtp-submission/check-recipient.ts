import { type ErrorCode, foldAddress, parseMailbox } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { type RecipientFacts, type RecipientQuestion, readRecipientFacts } from '../db/queries/recipient-facts.ts';
import type { Caller } from '../keys/caller.ts';
import { checkAcceptance } from '../sending/acceptance.ts';
import { isSandboxAddress } from '../sending/plan-deliveries.ts';
import { quotaMonth } from '../sending/quota.ts';
import { shareReads } from '../shared-reads.ts';
import { refuseBy, SmtpRefusal } from './smtp-refusal.ts';

export interface RecipientCheckOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly sandboxDomain: string;
  /** The monthly quota for accounts without their own. */
  readonly monthlyQuota: number;
}

/**
 * Checks the acceptance rules for one recipient before its message arrives, so that the client learns which recipient is
 * refused. The accept queue checks again with the whole message.
 * @param before the recipients accepted so far; their cost counts too.
 * @throws SmtpRefusal, or what the database throws
 */
export type RecipientCheck = (caller: Caller, address: string, before: readonly string[]) => Promise<void>;

/** The most recipients in one statement; more would delay the first ones. */
const MOST_RECIPIENTS = 200;

/** Creates the check for all sessions. Recipients that arrive during a lookup share the next statement. */
export function createRecipientCheck({
  sql,
  clock,
  sandboxDomain,
  monthlyQuota,
}: RecipientCheckOptions): RecipientCheck {
  const readFacts = shareReads((questions: readonly RecipientQuestion[]) => {
    const now = clock.now();
    return readRecipientFacts(sql, questions, { month: quotaMonth(now), monthlyQuota, now });
  }, MOST_RECIPIENTS);

  return async (caller, address, before) => {
    const email = foldAddress(address);
    const facts = await readFacts({ accountId: caller.accountId, email });
    const others = before.filter((other) => foldAddress(other) !== email);
    const leaving = [...others, address].filter((each) => !isSandboxAddress(each, sandboxDomain)).length;
    checkFacts(caller, address, leaving, facts);
  };
}

/**
 * The address of a RCPT command as it is sent, parsed as strictly as over REST.
 * @throws SmtpRefusal
 */
export function readRecipient(given: string): string {
  const verdict = parseMailbox(given);
  if (verdict.ok && verdict.mailbox.name === null) return verdict.mailbox.address;
  const reason = verdict.ok ? 'must be a bare address' : verdict.message;
  // RFC 6531 §3.5: x.6.7 means that the address would need SMTPUTF8 on the whole route.
  const status = /[^\x20-\x7e]/.test(given.slice(0, given.lastIndexOf('@'))) ? '5.6.7' : '5.1.3';
  throw new SmtpRefusal(553, status, `validation_failed: the address ${given} ${reason}`, 'validation_failed');
}

/** @param leaving the number of the message's recipients that are not test addresses, including this one */
function checkFacts(caller: Caller, address: string, leaving: number, facts: RecipientFacts): void {
  const verdict = checkAcceptance({
    fromDomain: '',
    domainVerified: true, // The sender is unknown until the message arrives.
    recipients: [{ email: address, kind: 'to' }],
    // Mail from a test key is never sent.
    cost: caller.mode === 'test' ? 0 : leaving,
    recipientAllowlist: caller.recipientAllowlist,
    // Null if the account is gone.
    accountSuspended: facts.accountSuspended !== false,
    suppressed: () => facts.suppressed,
    quotaLimit: facts.quota,
    quotaUsed: facts.used,
  });
  if (!verdict.ok)
    throw refuseBy(verdict.code, REASONS[verdict.code]?.(address) ?? verdict.detail, 'recipient', verdict.fix);
}

/** The wording of the acceptance rules speaks of the whole message; here the others may still be taken. */
const REASONS: Readonly<Partial<Record<ErrorCode, (address: string) => string>>> = {
  recipient_not_allowed: (address) => `${address} is not on the key’s recipient allowlist.`,
  recipient_suppressed: (address) => `${address} is on the account’s suppression list.`,
};
