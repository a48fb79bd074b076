import { foldAddress, LIMITS } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { type AcceptanceFacts, readAcceptanceFacts } from '../db/queries/acceptance-facts.ts';
import type { AcceptanceQuestion } from './acceptance.ts';
import type { PreparedSend } from './prepare-send.ts';
import { quotaMonth } from './quota.ts';

const HOUR_MS = 3_600_000;

/** What the rules need to know of a batch of sends, at hand by name. */
export interface BatchFacts {
  readonly accounts: ReadonlyMap<string, AcceptanceFacts['accounts'][number]>;
  /** Each as the account's id, a space, and the name. */
  readonly domains: ReadonlySet<string>;
  readonly suppressed: ReadonlySet<string>;
  readonly idempotency: ReadonlyMap<string, AcceptanceFacts['idempotency'][number]>;
}

/** Reads the facts of a whole batch in one round trip. */
export async function readBatchFacts(query: Query, sends: readonly PreparedSend[], now: Date): Promise<BatchFacts> {
  const facts = await readAcceptanceFacts(query, {
    accountIds: sends.map(({ command }) => command.accountId),
    month: quotaMonth(now),
    domains: sends
      .filter(({ sandboxSender }) => !sandboxSender)
      .map(({ command }) => ({ accountId: command.accountId, value: command.request.from.domain })),
    recipients: sends.flatMap(({ command, recipients }) =>
      recipients.map(({ email }) => ({ accountId: command.accountId, value: foldAddress(email) })),
    ),
    idempotencyKeys: sends.flatMap(({ command }) =>
      command.idempotency === null ? [] : [{ accountId: command.accountId, value: command.idempotency.key }],
    ),
    now,
    idempotencyHorizon: idempotencyHorizon(now),
  });
  return indexFacts(facts);
}

/** Idempotency keys made before this are forgotten. */
export function idempotencyHorizon(now: Date): Date {
  return new Date(now.getTime() - LIMITS.idempotencyKeyHours * HOUR_MS);
}

/** What is asked of the rules for one send; without facts it is supposed that none of those that need them refuses anything. */
export function questionOf(
  { command, recipients, cost, sandboxSender }: PreparedSend,
  facts: BatchFacts | null,
  quota: { readonly limit: number; readonly used: number },
): AcceptanceQuestion {
  const { accountId, request, recipientAllowlist } = command;
  return {
    fromDomain: request.from.domain,
    recipients,
    cost,
    recipientAllowlist,
    accountSuspended: facts !== null && facts.accounts.get(accountId)?.suspended !== false,
    domainVerified: facts === null || sandboxSender || facts.domains.has(`${accountId} ${request.from.domain}`),
    suppressed: (email) => facts?.suppressed.has(`${accountId} ${email}`) === true,
    quotaLimit: quota.limit,
    quotaUsed: quota.used,
  };
}

function indexFacts(facts: AcceptanceFacts): BatchFacts {
  const name = (pair: { readonly accountId: string; readonly value: string }) => `${pair.accountId} ${pair.value}`;
  return {
    accounts: new Map(facts.accounts.map((account) => [account.accountId, account])),
    domains: new Set(facts.verifiedDomains.map(name)),
    suppressed: new Set(facts.suppressed.map(name)),
    idempotency: new Map(facts.idempotency.map((fact) => [name(fact), fact])),
  };
}
