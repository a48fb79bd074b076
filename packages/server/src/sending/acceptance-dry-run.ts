import type { HoldReason } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { readAcceptanceFacts } from '../db/queries/acceptance-facts.ts';
import { type AcceptanceFindings, examineAcceptance } from './acceptance.ts';
import { idempotencyHorizon, questionOf, readBatchFacts, type Unsendable } from './batch-facts.ts';
import { createHoldLedger } from './hold-ledger.ts';
import { checkIdempotency, IDEMPOTENCY_KEY_REUSED } from './idempotency.ts';
import type { JudgingKey } from './key-rules.ts';
import { costOf, type ParsedSend } from './parsed-send.ts';
import { type Provenance, provenanceOf } from './provenance.ts';
import { quotaMonth } from './quota.ts';
import { createSendLedger } from './send-ledger.ts';
import { acceptedStatus, type QuotaState, type SendVerdict, toHeldSend } from './send-verdict.ts';

export interface DryRunOptions {
  /** A connection outside the accept queue's pools, so that sends never wait for a dry run. */
  readonly sql: Sql;
  readonly clock: Clock;
  /** The accept queue uses the same option. */
  readonly unsendable?: Unsendable;
  readonly sandboxDomain: string;
  /** The monthly quota of accounts without their own. */
  readonly monthlyQuota: number;
}

/** The findings of the acceptance rules about a send that is not written. */
export interface Examination {
  readonly findings: AcceptanceFindings;
  readonly provenance: Provenance;
  readonly quota: { readonly limit: number; readonly used: number; readonly cost: number };
  /** Why it would be held; empty if it would not. */
  readonly holdReasons: readonly HoldReason[];
}

type IdempotencyClaim = NonNullable<ParsedSend['idempotency']>;

/** The API key that the idempotency keys belong to. */
type ClaimOwner = Pick<JudgingKey, 'accountId' | 'keyId'>;

/** Checks sends against the acceptance rules without writing anything. */
export interface AcceptanceDryRun {
  /** Checks each send against every rule, as if it were the only one. */
  examine(sends: readonly ParsedSend[]): Promise<readonly Examination[]>;
  /** The verdicts of sends that repeat an idempotency key, by key and without their content. New keys are missing from the map. */
  findReplays(owner: ClaimOwner, keys: readonly IdempotencyClaim[]): Promise<ReadonlyMap<string, SendVerdict>>;
}

export function createAcceptanceDryRun(options: DryRunOptions): AcceptanceDryRun {
  const { sql, clock, sandboxDomain, monthlyQuota } = options;

  async function examine(sends: readonly ParsedSend[]): Promise<readonly Examination[]> {
    const now = clock.now();
    const facts = await readBatchFacts(sql, sends, now, options);
    const sent = createSendLedger(facts.sent, now);
    const holds = createHoldLedger(facts.holds, now);
    return sends.map((send) => {
      const account = facts.accounts.get(send.sender.accountId);
      const cost = costOf(send, sandboxDomain);
      const quota = { limit: account?.quota ?? 0, used: account?.used ?? 0, cost };
      const findings = examineAcceptance(
        questionOf(send, facts, { sandboxDomain, cost, quota, sendLimitFault: sent.faultOf(send.sender) }),
      );
      const hold = holds.holdOf(send);
      return {
        // A key at its limit of held sends cannot send anything that would be held.
        findings:
          hold === null ? findings : { ...findings, quota: findings.quota ?? holds.faultOf(send, cost, quota.limit) },
        provenance: provenanceOf(send),
        quota,
        holdReasons: hold?.reasons ?? [],
      };
    });
  }

  async function findReplays(
    { accountId, keyId }: ClaimOwner,
    claims: readonly IdempotencyClaim[],
  ): Promise<ReadonlyMap<string, SendVerdict>> {
    const now = clock.now();
    const { accounts, idempotency } = await readAcceptanceFacts(sql, {
      accountIds: [accountId],
      ...{ month: quotaMonth(now), monthlyQuota },
      domains: [],
      recipients: [],
      idempotencyKeys: claims.map(({ key }) => ({ accountId, keyId, value: key })),
      ...{ limitedKeys: [], hourStart: now, dayStart: now },
      now,
      idempotencyHorizon: idempotencyHorizon(now),
    });
    const { quota: limit, used } = accounts[0] ?? { quota: 0, used: 0 };
    const quota = { limit, remaining: Math.max(0, limit - used) };
    const stored = new Map(idempotency.map((fact) => [fact.value, fact]));
    return new Map(
      claims.flatMap(({ key, fingerprint }) => {
        const verdict = checkIdempotency(stored.get(key), fingerprint);
        return verdict.kind === 'new' ? [] : [[key, toReplay(verdict, quota)]];
      }),
    );
  }

  return { examine, findReplays };
}

function toReplay(
  verdict: Exclude<ReturnType<typeof checkIdempotency>, { kind: 'new' }>,
  quota: QuotaState,
): SendVerdict {
  if (verdict.kind === 'reused') return { kind: 'refused', ...IDEMPOTENCY_KEY_REUSED };
  const hold = toHeldSend(verdict.hold);
  const { messageId: id } = verdict;
  return { kind: 'accepted', id, status: acceptedStatus(hold), hold, replayed: true, quota };
}
