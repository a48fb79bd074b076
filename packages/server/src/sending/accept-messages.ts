import { foldAddress, LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { type AcceptanceFacts, readAcceptanceFacts } from '../db/queries/acceptance-facts.ts';
import { type AccountCharge, insertMessages, type QuotaUsage } from '../db/queries/insert-messages.ts';
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

/** What a batch came to. */
export interface AcceptedBatch {
  readonly verdicts: readonly SendVerdict[];
  /** Whether everything could be written without asking for facts. */
  readonly unquestioned: boolean;
}

/**
 * The only door: every send of every path, one or a hundred, comes through here. One statement writes the whole batch, all or nothing, and
 * holds the rules itself. Only where it refuses are the facts read that tell which send is at fault; the rules decide with them, and what is
 * left is written the same way. Every command gets its own verdict, in order; one that is refused never touches its neighbours.
 * @param first `write` to try without asking; `ask` where many are refused lately and asking first saves a statement.
 * @throws database errors, when nothing of the batch was accepted.
 */
export async function acceptMessages(
  options: AcceptanceOptions,
  commands: readonly SendCommand[],
  first: 'write' | 'ask' = 'write',
): Promise<AcceptedBatch> {
  const now = options.clock.now();
  const sends = commands.map((command) => prepareSend(command, options.sandboxDomain));
  for (let round = 1; ; round += 1) {
    const unquestioned = round === 1 && first === 'write';
    const decided = decideBatch(sends, unquestioned ? null : await readFacts(options, sends, now), options, now);
    // Rules have an order, and those that need facts come first: what is refused without them may be refused for another reason with them.
    if (unquestioned && decided.decisions.some(({ kind }) => kind === 'refused')) continue;
    if (decided.accepted.length === 0) return { verdicts: toVerdicts(decided), unquestioned };
    try {
      decided.ledger.settle(await write(options, decided, now));
      return { verdicts: toVerdicts(decided), unquestioned };
    } catch (error) {
      const fault = classifyDatabaseError(error);
      if ((fault !== 'stale' && fault !== 'conflict') || round === MAX_ROUNDS) throw error;
    }
  }
}

interface DecidedBatch {
  readonly decisions: readonly Decision[];
  readonly accepted: readonly { readonly send: PreparedSend; readonly id: string }[];
  readonly ledger: QuotaLedger;
}

type Decision =
  | (Refusal & { readonly kind: 'refused' })
  | {
      readonly kind: 'accepted';
      readonly id: string;
      readonly replayed: boolean;
      readonly accountId: string;
      /** What this batch had charged the account when this send was decided. */
      readonly charged: number;
    };

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

/** @param facts null to suppose that no rule which needs facts refuses anything: writing finds out. */
function decideBatch(
  sends: readonly PreparedSend[],
  facts: AcceptanceFacts | null,
  options: AcceptanceOptions,
  now: Date,
): DecidedBatch {
  const ledger = createLedger(facts?.accounts ?? [], options.monthlyQuota);
  const known = facts === null ? null : indexFacts(facts);
  const takenKeys = new Set<string>();
  const accepted: { send: PreparedSend; id: string }[] = [];
  const decisions = sends.map((send): Decision => {
    const { accountId } = send.command;
    const early = decideIdempotency(send, known, takenKeys, ledger);
    if (early !== null) return early;
    const refusal = decideAcceptance(send, known, ledger);
    if (refusal !== null) return { kind: 'refused', ...refusal };
    const charged = ledger.charge(accountId, send.cost);
    takenKeys.add(keyOf(send));
    const id = options.ids.next(now);
    accepted.push({ send, id });
    return { kind: 'accepted', id, replayed: false, accountId, charged };
  });
  return { decisions, accepted, ledger };
}

function toVerdicts({ decisions, ledger }: DecidedBatch): readonly SendVerdict[] {
  return decisions.map((decision): SendVerdict => {
    if (decision.kind === 'refused') return decision;
    const { kind, id, replayed, accountId, charged } = decision;
    return { kind, id, status: 'queued', replayed, quota: ledger.stateAt(accountId, charged) };
  });
}

function decideIdempotency(
  send: PreparedSend,
  known: IndexedFacts | null,
  takenKeys: ReadonlySet<string>,
  ledger: QuotaLedger,
): Decision | null {
  const { idempotency, accountId } = send.command;
  if (idempotency === null) return null;
  if (takenKeys.has(keyOf(send))) {
    return {
      kind: 'refused',
      code: 'idempotency_in_progress',
      detail: 'A request with this idempotency key is running.',
    };
  }
  const verdict = checkIdempotency(known?.idempotency.get(keyOf(send)), idempotency.fingerprint);
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
    replayed: true,
    accountId,
    charged: ledger.charge(accountId, 0),
  };
}

function decideAcceptance(send: PreparedSend, known: IndexedFacts | null, ledger: QuotaLedger): Refusal | null {
  const { accountId, request, recipientAllowlist } = send.command;
  const { limit, used } = ledger.usageOf(accountId);
  const verdict = checkAcceptance({
    fromDomain: request.from.domain,
    recipients: send.recipients,
    cost: send.cost,
    recipientAllowlist,
    accountSuspended: known !== null && known.accounts.get(accountId)?.suspended !== false,
    domainVerified: known === null || send.sandboxSender || known.domains.has(`${accountId} ${request.from.domain}`),
    suppressed: (email) => known?.suppressed.has(`${accountId} ${email}`) === true,
    quotaLimit: limit,
    quotaUsed: used,
  });
  return verdict.ok ? null : verdict;
}

async function write(
  options: AcceptanceOptions,
  { accepted }: DecidedBatch,
  now: Date,
): Promise<readonly QuotaUsage[]> {
  const messages = accepted.map(({ send, id }) => toNewMessage(send, id, now, options.ids));
  return await insertMessages(options.sql, messages, toCharges(accepted), {
    now,
    month: quotaMonth(now),
    monthlyQuota: options.monthlyQuota,
    idempotencyHorizon: horizon(now),
  });
}

function toCharges(accepted: DecidedBatch['accepted']): readonly AccountCharge[] {
  const accounts = new Map<string, { units: number; domains: Set<string> }>();
  for (const { send } of accepted) {
    const { accountId, request } = send.command;
    const account = accounts.get(accountId) ?? { units: 0, domains: new Set() };
    account.units += send.cost;
    if (!send.sandboxSender) account.domains.add(request.from.domain);
    accounts.set(accountId, account);
  }
  return [...accounts].map(([account_id, { units, domains }]) => ({ account_id, units, domains: [...domains] }));
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
  /** Answers what the batch has charged the account with this. */
  charge(accountId: string, units: number): number;
  /** Takes over what writing answered: others may have charged the same accounts in between. */
  settle(usage: readonly QuotaUsage[]): void;
  stateAt(accountId: string, charged: number): QuotaState;
}

/** Accounts without facts are supposed to have quota enough. */
function createLedger(facts: AcceptanceFacts['accounts'], defaultQuota: number): QuotaLedger {
  const accounts = new Map<string, { limit: number; used: number; charged: number }>();
  for (const { accountId, monthlyQuota, used } of facts) {
    accounts.set(accountId, { limit: monthlyQuota ?? defaultQuota, used, charged: 0 });
  }
  const of = (accountId: string) => {
    const known = accounts.get(accountId);
    if (known !== undefined) return known;
    const supposed = { limit: Number.POSITIVE_INFINITY, used: 0, charged: 0 };
    accounts.set(accountId, supposed);
    return supposed;
  };
  return {
    usageOf: (accountId) => ({ limit: of(accountId).limit, used: of(accountId).used + of(accountId).charged }),
    charge: (accountId, units) => {
      const account = of(accountId);
      account.charged += units;
      return account.charged;
    },
    settle: (usage) => {
      for (const { accountId, limit, used } of usage) {
        const account = of(accountId);
        account.limit = limit;
        account.used = used - account.charged;
      }
    },
    stateAt: (accountId, charged) => {
      const { limit, used } = of(accountId);
      return { limit, remaining: Math.max(0, limit - used - charged) };
    },
  };
}

function keyOf({ command }: PreparedSend): string {
  return `${command.accountId} ${command.idempotency?.key ?? ''}`;
}

function horizon(now: Date): Date {
  return new Date(now.getTime() - LIMITS.idempotencyKeyHours * HOUR_MS);
}
