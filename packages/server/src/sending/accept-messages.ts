import { foldAddress, LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { type AcceptanceFacts, readAcceptanceFacts } from '../db/queries/acceptance-facts.ts';
import { type InsertedMessages, insertMessages, type QuotaCharge } from '../db/queries/insert-messages.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { checkAcceptance, type Refusal } from './acceptance.ts';
import { checkIdempotency } from './idempotency.ts';
import { type PreparedSend, prepareSend, toNewMessage } from './prepare-send.ts';
import { quotaMonth } from './quota.ts';
import type { QuotaState, SendCommand, SendVerdict } from './send-command.ts';

export interface AcceptanceOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly sandboxDomain: string;
  /** The monthly quota of accounts that have none of their own. */
  readonly monthlyQuota: number;
}

const HOUR_MS = 3_600_000;
/** Each round settles at least one of those who race for the same key or the last of a quota, so few rounds are ever needed. */
const MAX_ROUNDS = 20;

/**
 * The only door: every send of every path, one or a hundred, comes through here. Facts are read for the whole batch, the rules decide,
 * and one statement writes what was accepted, all or nothing. If a fact went stale in between, nothing was written and it starts again.
 * Every command gets its own verdict, in order; one that is refused never touches its neighbours.
 * @throws database errors, when nothing of the batch was accepted.
 */
export async function acceptMessages(
  options: AcceptanceOptions,
  commands: readonly SendCommand[],
): Promise<readonly SendVerdict[]> {
  const now = options.clock.now();
  const sends = commands.map((command) => prepareSend(command, options.sandboxDomain));
  for (let round = 1; ; round += 1) {
    const decided = decideBatch(options, sends, await readFacts(options, sends, now), now);
    if (decided.accepted.length === 0) return decided.verdicts;
    try {
      const { usage } = await write(options, decided, now);
      return tellUsage(decided, sends, usage);
    } catch (error) {
      const fault = classifyDatabaseError(error);
      if ((fault !== 'stale' && fault !== 'conflict') || round === MAX_ROUNDS) throw error;
    }
  }
}

interface DecidedBatch {
  readonly verdicts: readonly SendVerdict[];
  readonly accepted: readonly { readonly send: PreparedSend; readonly id: string }[];
  readonly charges: readonly QuotaCharge[];
  readonly ledger: QuotaLedger;
}

async function readFacts(
  options: AcceptanceOptions,
  sends: readonly PreparedSend[],
  now: Date,
): Promise<AcceptanceFacts> {
  return await readAcceptanceFacts(options.sql, {
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
    idempotencyHorizon: horizon(now),
  });
}

function decideBatch(
  options: AcceptanceOptions,
  sends: readonly PreparedSend[],
  facts: AcceptanceFacts,
  now: Date,
): DecidedBatch {
  const ledger = createLedger(facts, options.monthlyQuota);
  const known = indexFacts(facts);
  const takenKeys = new Set<string>();
  const accepted: { send: PreparedSend; id: string }[] = [];
  const verdicts = sends.map((send): SendVerdict => {
    const early = decideIdempotency(send, known, takenKeys, ledger);
    if (early !== null) return early;
    const refusal = decideAcceptance(send, known, ledger);
    if (refusal !== null) return { kind: 'refused', ...refusal };
    ledger.charge(send.command.accountId, send.cost);
    takenKeys.add(keyOf(send));
    const id = options.ids.next(now);
    accepted.push({ send, id });
    return { kind: 'accepted', id, status: 'queued', replayed: false, quota: ledger.stateOf(send.command.accountId) };
  });
  return { verdicts, accepted, charges: ledger.charges(quotaMonth(now)), ledger };
}

function decideIdempotency(
  send: PreparedSend,
  known: IndexedFacts,
  takenKeys: ReadonlySet<string>,
  ledger: QuotaLedger,
): SendVerdict | null {
  const { idempotency, accountId } = send.command;
  if (idempotency === null) return null;
  if (takenKeys.has(keyOf(send))) {
    return {
      kind: 'refused',
      code: 'idempotency_in_progress',
      detail: 'A request with this idempotency key is running.',
    };
  }
  const verdict = checkIdempotency(known.idempotency.get(keyOf(send)), idempotency.fingerprint);
  if (verdict.kind === 'new') return null;
  if (verdict.kind === 'reused') {
    return {
      kind: 'refused',
      code: 'idempotency_key_reused',
      detail: 'This idempotency key came before with another body.',
    };
  }
  return {
    kind: 'accepted',
    id: verdict.messageId,
    status: 'queued',
    replayed: true,
    quota: ledger.stateOf(accountId),
  };
}

function decideAcceptance(send: PreparedSend, known: IndexedFacts, ledger: QuotaLedger): Refusal | null {
  const { accountId, request, recipientAllowlist } = send.command;
  const account = known.accounts.get(accountId);
  const { limit, used } = ledger.usageOf(accountId);
  const verdict = checkAcceptance({
    fromDomain: request.from.domain,
    recipients: send.recipients,
    cost: send.cost,
    recipientAllowlist,
    accountSuspended: account === undefined || account.suspended,
    domainVerified: send.sandboxSender || known.domains.has(`${accountId} ${request.from.domain}`),
    suppressed: (email) => known.suppressed.has(`${accountId} ${email}`),
    quotaLimit: limit,
    quotaUsed: used,
  });
  return verdict.ok ? null : verdict;
}

async function write(options: AcceptanceOptions, decided: DecidedBatch, now: Date): Promise<InsertedMessages> {
  const messages = decided.accepted.map(({ send, id }) => toNewMessage(send, id, now, options.ids));
  return await insertMessages(options.sql, messages, decided.charges, horizon(now));
}

/** Another batch, or another process, may have charged the same account since the facts were read: what is told to be left counts that too. */
function tellUsage(
  { verdicts, ledger }: DecidedBatch,
  sends: readonly PreparedSend[],
  usage: InsertedMessages['usage'],
): readonly SendVerdict[] {
  const byOthers = new Map(usage.map(({ accountId, used }) => [accountId, used - ledger.usageOf(accountId).used]));
  return verdicts.map((verdict, index) => {
    const units = byOthers.get(sends[index]?.command.accountId ?? '') ?? 0;
    if (verdict.kind === 'refused' || units === 0) return verdict;
    const { limit, remaining } = verdict.quota;
    return { ...verdict, quota: { limit, remaining: Math.max(0, remaining - units) } };
  });
}

interface IndexedFacts {
  readonly accounts: ReadonlyMap<string, AcceptanceFacts['accounts'][number]>;
  readonly domains: ReadonlySet<string>;
  readonly suppressed: ReadonlySet<string>;
  readonly idempotency: ReadonlyMap<string, AcceptanceFacts['idempotency'][number]>;
}

function indexFacts(facts: AcceptanceFacts): IndexedFacts {
  const name = (pair: { readonly accountId: string; readonly value: string }) => `${pair.accountId} ${pair.value}`;
  return {
    accounts: new Map(facts.accounts.map((account) => [account.accountId, account])),
    domains: new Set(facts.verifiedDomains.map(name)),
    suppressed: new Set(facts.suppressed.map(name)),
    idempotency: new Map(facts.idempotency.map((fact) => [name(fact), fact])),
  };
}

/** Keeps the quota while a batch is decided, so that its items are charged one after the other. */
interface QuotaLedger {
  usageOf(accountId: string): { readonly limit: number; readonly used: number };
  charge(accountId: string, units: number): void;
  stateOf(accountId: string): QuotaState;
  charges(month: string): readonly QuotaCharge[];
}

function createLedger(facts: AcceptanceFacts, defaultQuota: number): QuotaLedger {
  const accounts = new Map(
    facts.accounts.map((fact) => [
      fact.accountId,
      { limit: fact.monthlyQuota ?? defaultQuota, used: fact.used, charged: 0 },
    ]),
  );
  const of = (accountId: string) => accounts.get(accountId) ?? { limit: 0, used: 0, charged: 0 };
  return {
    usageOf: (accountId) => ({ limit: of(accountId).limit, used: of(accountId).used + of(accountId).charged }),
    charge: (accountId, units) => {
      of(accountId).charged += units;
    },
    stateOf: (accountId) => {
      const { limit, used, charged } = of(accountId);
      return { limit, remaining: Math.max(0, limit - used - charged) };
    },
    charges: (month) =>
      [...accounts]
        .filter(([, { charged }]) => charged > 0)
        .map(([account_id, { charged, limit }]) => ({ account_id, month, units: charged, quota: limit })),
  };
}

function keyOf({ command }: PreparedSend): string {
  return `${command.accountId} ${command.idempotency?.key ?? ''}`;
}

function horizon(now: Date): Date {
  return new Date(now.getTime() - LIMITS.idempotencyKeyHours * HOUR_MS);
}
