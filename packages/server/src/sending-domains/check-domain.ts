import type { Transaction } from '../db/client.ts';
import { type AuditEntry, appendAudit } from '../db/queries/audit-log.ts';
import { retireKey, setKeyState } from '../db/queries/dkim-keys.ts';
import { countTakeover, lockName, readHolder } from '../db/queries/domain-names.ts';
import {
  changeDomain,
  type DomainKey,
  type DomainRow,
  failDomain,
  lockDomain,
  readDomain,
} from '../db/queries/domains.ts';
import { type LookupBounds, withinBounds } from '../diagnostics/bounded-lookups.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { announceDomain } from './announce-domain.ts';
import { judgeChallenge, type NameClaim, renewClaim } from './domain-claim.ts';
import { dkimRecordId, expectedRecords, listedKeys } from './domain-records.ts';
import { beginPending, decideStatus, isSending, type LookUpOutcome, type StatusFacts } from './domain-status.ts';
import { auditDomain, type DomainReference, type DomainTools } from './domain-tools.ts';
import { decideKeyChanges } from './key-changes.ts';
import { lookUpRecords } from './look-up-records.ts';
import type { RecordVerdict } from './record-verdict.ts';
import { explainStatus, TAKEN_OVER } from './status-reason.ts';

export interface CheckOptions {
  readonly dns: DnsResolver;
  /** The id of a key, or `system`. */
  readonly actor: string;
  /** Whether a failed domain starts again, because a caller requested the check. */
  readonly restarts: boolean;
}

/** A domain after a check of its records. */
export interface CheckedDomain {
  readonly domain: DomainRow;
  /** The challenge to publish before the domain can be verified; null unless another account has the name. */
  readonly claim: NameClaim | null;
}

type Verdicts = ReadonlyMap<string, RecordVerdict>;

/**
 * Third-party records decide the number of queries, and third-party servers how long they take. Queries without a response at the limit count as
 * DNS failures. An ordinary domain needs about fifty queries for each address of this server.
 */
const CHECK_BOUNDS: LookupBounds = { questions: 500, timeMs: 30_000 };

/**
 * Looks up the records of a domain and applies the result, with audit entries: the domain's status, the keys it signs with, and who has the
 * name. DNS queries run outside transactions. Returns null if the domain does not exist or was removed.
 */
export async function checkDomain(
  tools: DomainTools,
  reference: DomainReference,
  options: CheckOptions,
  bounds: LookupBounds = CHECK_BOUNDS,
): Promise<CheckedDomain | null> {
  const before = await readDomain(tools.sql, reference.accountId, reference.id);
  if (before === null || before.status === 'removed') return null;
  const keys = listedKeys(before.keys, tools.clock.now());
  const [verdicts, asked] = await withinBounds(options.dns, bounds, ({ dns }) =>
    Promise.all([
      lookUpRecords(dns, { ...before, keys }, tools.own),
      isSending(before.status) ? null : lookUpClaim(tools, dns, before),
    ]),
  );
  return await tools.sql.begin(async (transaction) => {
    await lockName(transaction, before.name);
    const domain = await lockDomain(transaction, before.accountId, before.id);
    if (domain === null || domain.status === 'removed') return null;
    const current = withoutOtherKeys(verdicts, keys, domain.keys);
    return await settle(transaction, tools, domain, { verdicts: current, asked, ...options });
  });
}

/** Drops verdicts on selectors that now belong to other keys, because a rotation during the lookup may have replaced a waiting key. */
function withoutOtherKeys(verdicts: Verdicts, asked: readonly DomainKey[], now: readonly DomainKey[]): Verdicts {
  const known = new Set(asked.map(({ id }) => id));
  const others = new Set(now.filter(({ id }) => !known.has(id)).map(({ selector }) => dkimRecordId(selector)));
  return others.size === 0 ? verdicts : new Map([...verdicts].filter(([record]) => !others.has(record)));
}

/**
 * Whether a published challenge proves that the name belongs to the account although another account has it; null if no other account does.
 */
export async function lookUpClaim(
  { names, challenges }: Pick<DomainTools, 'names' | 'challenges'>,
  dns: DnsResolver,
  { accountId, name }: { readonly accountId: string; readonly name: string },
): Promise<NameClaim | null> {
  const holder = await readHolder(names, accountId, name);
  if (holder === null) return null;
  const challenge = challenges(accountId, name, holder);
  const outcome = judgeChallenge(challenge, await dns.txt(challenge.host));
  return { challenge, isVerified: holder.isVerified, outcome };
}

interface Findings extends CheckOptions {
  readonly verdicts: Verdicts;
  /** The result of the challenge lookup; null if no other account had the name. */
  readonly asked: NameClaim | null;
}

async function settle(
  transaction: Transaction,
  tools: DomainTools,
  domain: DomainRow,
  { verdicts, asked, actor, restarts }: Findings,
): Promise<CheckedDomain> {
  const now = tools.clock.now();
  const by = { actor, now };
  const { accountId, id, name } = domain;
  const holder = isSending(domain.status) ? null : await readHolder(transaction, accountId, name);
  const claim = holder === null ? null : renewClaim(tools.challenges(accountId, name, holder), holder, asked);
  const hasProof = claim?.outcome === 'met';
  const held = claim !== null && !hasProof;
  const entries: AuditEntry[] =
    holder !== null && hasProof ? await takeOver(transaction, tools, domain, holder, by) : [];
  const switched = await changeKeys(transaction, domain, verdicts, now);
  if (switched !== null)
    entries.push(auditDomain(tools.ids, domain, 'domain.rotated', by, { name, selector: switched }));
  const keysNow = switched === null ? domain : ((await readDomain(transaction, accountId, id)) ?? domain);
  const reopens = domain.status === 'failed' && restarts && !held;
  const facts = reopens
    ? beginPending(now)
    : { status: domain.status as StatusFacts['status'], since: domain.statusSince };
  const missing = missingRecords(tools, keysNow, verdicts, now);
  const decision = decideStatus(facts, missing.outcome, held, now);
  const reason = explainStatus({
    before: { status: facts.status, reason: domain.statusReason },
    decision,
    missing: missing.names,
    isHeld: held,
  });
  const checkedAt = now.toISOString();
  await changeDomain(transaction, accountId, id, {
    status: decision.status,
    statusSince: decision.since,
    statusReason: reason,
    nextCheckAt: decision.nextCheckAt,
    checks: Object.fromEntries([...verdicts].map(([record, verdict]) => [record, { ...verdict, checkedAt }])),
    verifiedAt: verifiedAt(domain, decision.status, now),
    lastCheckedAt: now,
    claimedAt: decision.status === 'failed' ? null : hasProof ? now : domain.claimedAt,
    removedAt: null,
  });
  if (decision.status !== domain.status) {
    const details = { name, from: domain.status, missing: missing.names.join(', ') || null };
    entries.push(auditDomain(tools.ids, domain, `domain.${decision.status}`, by, details));
  }
  const after = (await readDomain(transaction, accountId, id)) ?? domain;
  if (decision.status !== domain.status) await announceDomain(transaction, tools, after, now);
  await appendAudit(transaction, entries);
  return { domain: after, claim: held ? claim : null };
}

/** Takes the name from the other account. Its audit log records the loss, but not who has the name now. */
export async function takeOver(
  transaction: Transaction,
  tools: DomainTools,
  { accountId, id, name }: DomainReference & { readonly name: string },
  holder: DomainReference,
  by: { readonly actor: string; readonly now: Date },
): Promise<AuditEntry[]> {
  await failDomain(transaction, holder, TAKEN_OVER, by.now);
  await countTakeover(transaction, name);
  const { ids } = tools;
  const failed = await readDomain(transaction, holder.accountId, holder.id);
  if (failed !== null) await announceDomain(transaction, tools, failed, by.now);
  const lost = { name, reason: 'claimed by another account' };
  return [
    auditDomain(ids, holder, 'domain.failed', { actor: 'system', now: by.now }, lost),
    auditDomain(ids, { accountId, id }, 'domain.claimed', by, { name }),
  ];
}

/** Returns the selector of the RSA key that signs from now on; null if it did not change. */
async function changeKeys(
  transaction: Transaction,
  { accountId, keys }: DomainRow,
  verdicts: Verdicts,
  now: Date,
): Promise<string | null> {
  const changes = decideKeyChanges(keys, ({ selector }) => verdicts.get(dkimRecordId(selector)));
  let switched: DomainKey | null = null;
  for (const { kind, key } of changes) {
    if (kind === 'retire') await retireKey(transaction, accountId, key.id, now);
    else await setKeyState(transaction, accountId, key.id, kind === 'sign' ? 'signing' : 'waiting');
    if (kind === 'sign' && (switched === null || key.algorithm === 'rsa')) switched = key;
  }
  return switched?.selector ?? null;
}

function missingRecords(
  { own }: DomainTools,
  domain: DomainRow,
  verdicts: Verdicts,
  now: Date,
): { readonly outcome: LookUpOutcome; readonly names: readonly string[] } {
  const required = expectedRecords({ ...domain, keys: listedKeys(domain.keys, now) }, own).filter(
    (record) => record.required,
  );
  const inStatus = (status: RecordVerdict['status']) =>
    required.filter(({ id }) => (verdicts.get(id)?.status ?? 'pending') === status);
  const names = inStatus('fail').map(({ purpose }) => purpose);
  if (names.length > 0) return { outcome: 'missing', names };
  return { outcome: inStatus('pending').length > 0 ? 'unknown' : 'complete', names };
}

function verifiedAt(domain: DomainRow, status: DomainRow['status'], now: Date): Date | null {
  if (!isSending(status)) return null;
  return status === 'verified' && domain.status !== 'verified' ? now : domain.verifiedAt;
}
