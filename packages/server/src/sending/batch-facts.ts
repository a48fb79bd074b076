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
import type { Sender } from './judged-sender.ts';
import { callingKeyOf, judgesOf, pausedOf } from './judging-keys.ts';
import { type KeyStates, nameOfShown } from './key-state.ts';
import type { ParsedSend } from './parsed-send.ts';
import { checkPersonaLock } from './persona-lock.ts';
import { quotaMonth } from './quota.ts';
import { limitsOn } from './send-ledger.ts';
import { periodStart } from './send-limits.ts';

const HOUR_MS = 3_600_000;

/** Why a domain of the account cannot send. */
export type Unsendable = (domain: DomainRow) => UnsendableDomain;

/** What the rules need to know about a batch of sends, indexed by name. */
export interface BatchFacts {
  readonly accounts: ReadonlyMap<string, AcceptanceFacts['accounts'][number]>;
  /** Each entry is the account's id, a space, and the name. */
  readonly domains: ReadonlySet<string>;
  /** The domains that the account has but cannot send from, by the same names. */
  readonly unsendable: ReadonlyMap<string, UnsendableDomain>;
  readonly suppressed: ReadonlySet<string>;
  /** By the id of the API key, a space, and the idempotency key. */
  readonly idempotency: ReadonlyMap<string, AcceptanceFacts['idempotency'][number]>;
  /** Of keys that have send limits. */
  readonly sent: readonly SentFact[];
  /** Of keys in approval mode. */
  readonly holds: HoldFacts;
  /** The current state of the keys that judge the sends. */
  readonly keys: KeyStates;
  /** The credentials of the callers that have not ended, by name. */
  readonly lasting: ReadonlySet<string>;
}

export interface FactOptions {
  readonly sandboxDomain: string;
  /** The quota of accounts without their own. */
  readonly monthlyQuota: number;
  /** Explains why a domain cannot be sent from; without it the reason stays unknown. */
  readonly unsendable?: Unsendable;
}

/** Reads the facts of a whole batch in one round trip. If the account cannot send from some domains, a second one reads why. */
export async function readBatchFacts(
  query: Query,
  sends: readonly ParsedSend[],
  now: Date,
  { sandboxDomain, monthlyQuota, unsendable }: FactOptions,
): Promise<BatchFacts> {
  const asked = sends
    .filter((send) => needsDomain(send, sandboxDomain))
    .map(({ sender, request }) => ({ accountId: sender.accountId, value: request.from.domain }));
  const holding = readHoldFactsOf(query, sends);
  // If another query fails first, the failure of this one is reported below.
  holding.catch(() => undefined);
  const judging = readKeyStates(query, sends);
  judging.catch(() => undefined);
  const shown = readLasting(query, sends, now);
  shown.catch(() => undefined);
  const facts = await readAcceptanceFacts(query, {
    accountIds: sends.map(({ sender }) => sender.accountId),
    ...{ month: quotaMonth(now), monthlyQuota },
    domains: asked,
    recipients: sends.flatMap(({ sender, recipients }) =>
      recipients.map(({ email }) => ({ accountId: sender.accountId, value: foldAddress(email) })),
    ),
    idempotencyKeys: sends.flatMap(({ sender, idempotency }) =>
      idempotency === null ? [] : [idempotencyNameOf(sender, idempotency.key)],
    ),
    limitedKeys: sends.flatMap(({ sender }) =>
      [...limitsOn(sender)].map(({ keyId }) => ({ accountId: sender.accountId, value: keyId })),
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

/** Idempotency keys created before this time have expired. */
export function idempotencyHorizon(now: Date): Date {
  return new Date(now.getTime() - LIMITS.idempotencyKeyHours * HOUR_MS);
}

/** Whether the sender's domain must be verified. Any account may send from the sandbox domain, and some domains were checked before. */
export function needsDomain({ request, domainChecked }: ParsedSend, sandboxDomain: string): boolean {
  return !domainChecked && request.from.domain !== sandboxDomain;
}

/** The counters that change from send to send of a batch, as they are before this one. */
interface Counted {
  readonly sandboxDomain: string;
  /** Quota units of the send. */
  readonly cost: number;
  readonly quota: { readonly limit: number; readonly used: number };
  readonly sendLimitFault: Refusal | null;
  readonly keyFault?: Refusal | null;
}

/** What the rules need to know about one send. */
export function questionOf(
  send: ParsedSend,
  facts: BatchFacts,
  { sandboxDomain, cost, quota, sendLimitFault, keyFault = null }: Counted,
): AcceptanceQuestion {
  const { request } = send;
  const { accountId } = send.sender;
  return {
    ...keyQuestionOf(send),
    fromDomain: request.from.domain,
    cost,
    keyFault,
    sendLimitFault,
    accountSuspended: facts.accounts.get(accountId)?.suspended !== false,
    domainVerified: !needsDomain(send, sandboxDomain) || facts.domains.has(`${accountId} ${request.from.domain}`),
    unsendable: facts.unsendable.get(`${accountId} ${request.from.domain}`) ?? null,
    suppressed: (email) => facts.suppressed.has(`${accountId} ${email}`),
    quotaLimit: quota.limit,
    quotaUsed: quota.used,
  };
}

/** What the keys that judge a send need to know: no facts. */
export function keyQuestionOf(send: ParsedSend): KeyQuestion {
  const { sender, recipients } = send;
  const { recipientAllowlist, askedBy } = sender;
  return {
    recipients,
    recipientAllowlist,
    callerAllowlist: askedBy?.recipientAllowlist ?? null,
    pausedBy: pausedOf(sender),
    personaFault: personaFaultOf(send),
  };
}

/** Why a locked persona refuses what the send claims; null if no key that judges the send does. */
function personaFaultOf(send: ParsedSend): Refusal | null {
  const { sender } = send;
  const own = checkPersonaLock(send, sender);
  return own ?? (sender.askedBy ? checkPersonaLock(send, sender.askedBy) : null);
}

async function readKeyStates(query: Query, sends: readonly ParsedSend[]): Promise<KeyStates> {
  const judging = sends.flatMap(({ sender }) => judgesOf(sender)).filter(({ version }) => version != null);
  const distinct = [...new Map(judging.map((key) => [key.keyId, key])).values()];
  const rows = distinct.length === 0 ? [] : await findJudgingKeys(query, distinct);
  return new Map(rows.map((row) => [row.keyId, row]));
}

async function readLasting(query: Query, sends: readonly ParsedSend[], now: Date): Promise<ReadonlySet<string>> {
  const shown = sends
    .flatMap(({ sender }) => judgesOf(sender))
    .flatMap(({ accountId, keyId, shown: one }) =>
      one ? [{ accountId, keyId, shown: one, name: nameOfShown(one) }] : [],
    );
  const distinct = [...new Map(shown.map((one) => [one.name, one])).values()];
  return new Set(distinct.length === 0 ? [] : await findLasting(query, distinct, now));
}

function idempotencyNameOf(sender: Sender, value: string): IdempotencyName {
  const { accountId, keyId } = callingKeyOf(sender);
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
