import { foldAddress, LIMITS } from '@postrider/core';
import type { Query } from '../db/client.ts';
import {
  type AcceptanceFacts,
  type IdempotencyName,
  type Pair,
  readAcceptanceFacts,
  type SentFact,
} from '../db/queries/acceptance-facts.ts';
import { findJudgingKeys } from '../db/queries/api-keys.ts';
import { type DomainRow, readUnsendableDomains } from '../db/queries/domains.ts';
import type { HoldFacts } from '../db/queries/hold-facts.ts';
import { findLasting } from '../db/queries/shown-credentials.ts';
import type { AcceptanceQuestion, KeyQuestion, Refusal, UnsendableDomain } from './acceptance.ts';
import { readHoldFactsOf } from './hold-ledger.ts';
import { callingKeyOf, judgesOf, pausedOf } from './judging-keys.ts';
import { type KeyStates, nameOfShown } from './key-state.ts';
import { checkPersonaLock } from './persona-lock.ts';
import type { PreparedSend } from './prepare-send.ts';
import { quotaMonth } from './quota.ts';
import type { SendCommand } from './send-command.ts';
import { limitsOn } from './send-ledger.ts';
import { periodStart } from './send-limits.ts';

const HOUR_MS = 3_600_000;

/** What keeps a domain of the account from sending. */
export type Unsendable = (domain: DomainRow) => UnsendableDomain;

/** What the rules need to know of a batch of sends, at hand by name. */
export interface BatchFacts {
  readonly accounts: ReadonlyMap<string, AcceptanceFacts['accounts'][number]>;
  /** Each as the account's id, a space, and the name. */
  readonly domains: ReadonlySet<string>;
  /** Of domains that the account has and cannot send from, by the same names. */
  readonly unsendable: ReadonlyMap<string, UnsendableDomain>;
  readonly suppressed: ReadonlySet<string>;
  /** Each by the id of its API key, a space, and the key. */
  readonly idempotency: ReadonlyMap<string, AcceptanceFacts['idempotency'][number]>;
  /** Of keys that have send limits. */
  readonly sent: readonly SentFact[];
  /** Of keys in approval mode. */
  readonly holds: HoldFacts;
  /** The keys that judge the sends, as they are now. */
  readonly keys: KeyStates;
  /** What callers showed to be let in and has not ended, by its name. */
  readonly lasting: ReadonlySet<string>;
}

/**
 * Reads the facts of a whole batch in one round trip; a second one is made where a domain cannot be sent from, to say why.
 * @param options `unsendable` says it; without it the reason stays unknown. `monthlyQuota` is that of accounts that have none of their own.
 */
export async function readBatchFacts(
  query: Query,
  sends: readonly PreparedSend[],
  now: Date,
  { unsendable, monthlyQuota }: { readonly unsendable?: Unsendable; readonly monthlyQuota: number },
): Promise<BatchFacts> {
  const asked = sends
    .filter(({ sandboxSender }) => !sandboxSender)
    .map(({ command }) => ({ accountId: command.accountId, value: command.request.from.domain }));
  const holding = readHoldFactsOf(query, sends);
  // Whatever becomes of the other question first, this one's failure is heard below.
  holding.catch(() => undefined);
  const judging = readKeyStates(query, sends);
  judging.catch(() => undefined);
  const shown = readLasting(query, sends, now);
  shown.catch(() => undefined);
  const facts = await readAcceptanceFacts(query, {
    accountIds: sends.map(({ command }) => command.accountId),
    ...{ month: quotaMonth(now), monthlyQuota },
    domains: asked,
    recipients: sends.flatMap(({ command, recipients }) =>
      recipients.map(({ email }) => ({ accountId: command.accountId, value: foldAddress(email) })),
    ),
    idempotencyKeys: sends.flatMap(({ command }) =>
      command.idempotency === null ? [] : [idempotencyNameOf(command, command.idempotency.key)],
    ),
    limitedKeys: sends.flatMap(({ command }) =>
      [...limitsOn(command)].map(({ keyId }) => ({ accountId: command.accountId, value: keyId })),
    ),
    hourStart: periodStart('hour', now),
    dayStart: periodStart('day', now),
    now,
    idempotencyHorizon: idempotencyHorizon(now),
  });
  const domains = new Set(facts.verifiedDomains.map(nameOf));
  const refused = asked.filter((pair) => !domains.has(nameOf(pair)));
  const rows = unsendable === undefined || refused.length === 0 ? [] : await readUnsendableDomains(query, refused);
  const reasons = rows.map((row) => [`${row.accountId} ${row.name}`, unsendable?.(row)] as const);
  const unsendables = new Map(reasons.flatMap(([name, reason]) => (reason ? [[name, reason] as const] : [])));
  return indexFacts(facts, domains, unsendables, await holding, await judging, await shown);
}

/** Idempotency keys made before this are forgotten. */
export function idempotencyHorizon(now: Date): Date {
  return new Date(now.getTime() - LIMITS.idempotencyKeyHours * HOUR_MS);
}

/** What is asked of the rules for one send. */
export function questionOf(
  send: PreparedSend,
  facts: BatchFacts,
  quota: { readonly limit: number; readonly used: number },
  sendLimitFault: Refusal | null,
  keyFault: Refusal | null = null,
): AcceptanceQuestion {
  const { accountId, request } = send.command;
  return {
    ...keyQuestionOf(send),
    fromDomain: request.from.domain,
    cost: send.cost,
    keyFault,
    sendLimitFault,
    accountSuspended: facts.accounts.get(accountId)?.suspended !== false,
    domainVerified: send.sandboxSender || facts.domains.has(`${accountId} ${request.from.domain}`),
    unsendable: facts.unsendable.get(`${accountId} ${request.from.domain}`) ?? null,
    suppressed: (email) => facts.suppressed.has(`${accountId} ${email}`),
    quotaLimit: quota.limit,
    quotaUsed: quota.used,
  };
}

/** What is asked of the keys that judge a send: it needs no facts. */
export function keyQuestionOf({ command, recipients }: PreparedSend): KeyQuestion {
  const { recipientAllowlist, askedBy } = command;
  return {
    recipients,
    recipientAllowlist,
    callerAllowlist: askedBy?.recipientAllowlist ?? null,
    pausedBy: pausedOf(command),
    personaFault: personaFaultOf(command),
  };
}

/** Null where no key that judges the send has locked its persona against what it claims. */
function personaFaultOf(command: SendCommand): Refusal | null {
  const own = checkPersonaLock(command, command);
  return own ?? (command.askedBy ? checkPersonaLock(command, command.askedBy) : null);
}

async function readKeyStates(query: Query, sends: readonly PreparedSend[]): Promise<KeyStates> {
  const judging = sends.flatMap(({ command }) => judgesOf(command)).filter(({ version }) => version != null);
  const distinct = [...new Map(judging.map((key) => [key.keyId, key])).values()];
  const rows = distinct.length === 0 ? [] : await findJudgingKeys(query, distinct);
  return new Map(rows.map((row) => [row.keyId, row]));
}

async function readLasting(query: Query, sends: readonly PreparedSend[], now: Date): Promise<ReadonlySet<string>> {
  const shown = sends
    .flatMap(({ command }) => judgesOf(command))
    .flatMap(({ accountId, keyId, shown: one }) =>
      one ? [{ accountId, keyId, shown: one, name: nameOfShown(one) }] : [],
    );
  const distinct = [...new Map(shown.map((one) => [one.name, one])).values()];
  return new Set(distinct.length === 0 ? [] : await findLasting(query, distinct, now));
}

function idempotencyNameOf(command: SendCommand, value: string): IdempotencyName {
  const { accountId, keyId } = callingKeyOf(command);
  return { accountId, keyId, value };
}

function nameOf({ accountId, value }: Pair): string {
  return `${accountId} ${value}`;
}

function indexFacts(
  facts: AcceptanceFacts,
  domains: ReadonlySet<string>,
  unsendable: BatchFacts['unsendable'],
  holds: HoldFacts,
  keys: KeyStates,
  lasting: ReadonlySet<string>,
): BatchFacts {
  return {
    accounts: new Map(facts.accounts.map((account) => [account.accountId, account])),
    domains,
    unsendable,
    suppressed: new Set(facts.suppressed.map(nameOf)),
    idempotency: new Map(facts.idempotency.map((fact) => [`${fact.keyId} ${fact.value}`, fact])),
    sent: facts.sent,
    holds,
    keys,
    lasting,
  };
}
