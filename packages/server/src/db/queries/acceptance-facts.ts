import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { narrowed, pg, present, type ResultFields, type ResultRow, returning, sqlTypeOf } from '../result.ts';
import { accounts, quotaUsage } from '../schema/accounts.ts';
import type { approvals } from '../schema/approvals.ts';
import { sendingDomains } from '../schema/domains.ts';
import { keySends } from '../schema/keys.ts';
import { idempotencyKeys } from '../schema/messages.ts';
import { suppressions } from '../schema/suppressions.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { IS_SUSPENDED } from './account-suspension.ts';

/** The values to read facts about for a batch of sends. Duplicates are allowed. */
export interface AcceptanceQuestions {
  readonly accountIds: readonly string[];
  /** The quota month, `YYYY-MM-01`. */
  readonly month: string;
  /** The monthly quota of accounts without their own. */
  readonly monthlyQuota: number;
  readonly domains: readonly Pair[];
  /** Folded recipient addresses. */
  readonly recipients: readonly Pair[];
  readonly idempotencyKeys: readonly IdempotencyName[];
  /** Ids of API keys that have send limits. */
  readonly limitedKeys: readonly Pair[];
  /** Start of the current hour and day. */
  readonly hourStart: Date;
  readonly dayStart: Date;
  readonly now: Date;
  /** Idempotency keys created before this time have expired. */
  readonly idempotencyHorizon: Date;
}

export interface IdempotencyName extends Pair {
  readonly keyId: string;
}

export interface Pair {
  readonly accountId: string;
  readonly value: string;
}

/** The lists of the question, with short names: they are repeated for every value. */
const DOMAIN = { a: sendingDomains.accountId, v: sendingDomains.name };
const RECIPIENT = { a: suppressions.accountId, v: suppressions.email };
const KEY = { a: idempotencyKeys.accountId, k: idempotencyKeys.keyId, v: idempotencyKeys.key };
const LIMITED = { a: keySends.accountId, v: keySends.keyId };

const ACCOUNT_FACT = {
  accountId: accounts.id,
  /** The account's own monthly quota, or the installation's default. */
  quota: present(accounts.monthlyQuota),
  used: quotaUsage.used,
  suspended: pg.bool,
};

export type AccountFact = ResultRow<typeof ACCOUNT_FACT>;

const DOMAIN_FACT = { accountId: sendingDomains.accountId, value: sendingDomains.name };
const SUPPRESSION_FACT = { accountId: suppressions.accountId, value: suppressions.email };

const IDEMPOTENCY_FACT = {
  accountId: idempotencyKeys.accountId,
  keyId: idempotencyKeys.keyId,
  value: idempotencyKeys.key,
  fingerprint: idempotencyKeys.fingerprint,
  messageId: idempotencyKeys.messageId,
};

export interface IdempotencyFact extends ResultRow<typeof IDEMPOTENCY_FACT> {
  /** The message's approval hold; null if it was not held. */
  readonly hold: HoldFact | null;
}

interface HoldFact extends Pick<typeof approvals.$inferSelect, 'reasons'> {
  readonly approvalId: typeof approvals.$inferSelect.id;
  readonly expiresAt: string;
}

/** How many messages a key with send limits has sent in the current hour or day. */
export type SentFact = Pick<typeof keySends.$inferSelect, 'accountId' | 'keyId' | 'period' | 'sends'>;

const readFacts = defineStatement(
  {
    asked: value<string>(),
    month: value<string>(),
    monthlyQuota: value<number>(),
    now: value<Date>(),
    idempotencyHorizon: value<Date>(),
    hourStart: value<Date>(),
    dayStart: value<Date>(),
  },
  ({ asked, month, monthlyQuota, now, idempotencyHorizon, hourStart, dayStart }) =>
    returning(
      {
        accounts: narrowed<readonly AccountFact[]>(pg.jsonb),
        verifiedDomains: narrowed<readonly ResultRow<typeof DOMAIN_FACT>[]>(pg.jsonb),
        suppressed: narrowed<readonly ResultRow<typeof SUPPRESSION_FACT>[]>(pg.jsonb),
        idempotency: narrowed<readonly IdempotencyFact[]>(pg.jsonb),
        sent: narrowed<readonly SentFact[]>(pg.jsonb),
      },
      sql`
    WITH asked AS MATERIALIZED (
      SELECT ${asked}::text::jsonb AS q
    )
    SELECT
      (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'accountId', a.id, 'quota', quota_of(a.monthly_quota, ${monthlyQuota}), 'used', coalesce(u.used, 0),
          'suspended', ${IS_SUSPENDED})), '[]')
        FROM accounts a
        LEFT JOIN quota_usage u ON u.account_id = a.id AND u.month = ${month}::date
        WHERE a.id IN (SELECT jsonb_array_elements_text(q -> 'accounts')::${sql.raw(sqlTypeOf(accounts.id))} FROM asked)) AS accounts,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('accountId', d.account_id, 'value', d.name)), '[]')
        FROM asked, jsonb_to_recordset(q -> 'domains') AS p (${columnsOf(DOMAIN)})
        JOIN sending_domains d ON d.account_id = p.a AND d.name = p.v
        WHERE is_sendable(d.status)) AS "verifiedDomains",
      (SELECT coalesce(jsonb_agg(jsonb_build_object('accountId', s.account_id, 'value', s.email)), '[]')
        FROM asked, jsonb_to_recordset(q -> 'recipients') AS p (${columnsOf(RECIPIENT)})
        JOIN suppressions s ON s.account_id = p.a AND s.email = p.v
        WHERE is_suppressing(s.expires_at, ${now})) AS suppressed,
      (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'accountId', k.account_id, 'keyId', k.key_id, 'value', k.key, 'fingerprint', k.fingerprint, 'messageId', k.message_id,
          'hold', CASE WHEN h.id IS NOT NULL THEN
            jsonb_build_object('approvalId', h.id, 'reasons', h.reasons, 'expiresAt', h.expires_at) END)), '[]')
        FROM asked, jsonb_to_recordset(q -> 'keys') AS p (${columnsOf(KEY)})
        JOIN idempotency_keys k ON k.account_id = p.a AND k.key_id = p.k AND k.key = p.v
        LEFT JOIN approvals h ON h.account_id = k.account_id AND h.message_id = k.message_id
        WHERE k.created_at > ${idempotencyHorizon}) AS idempotency,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('accountId', s.account_id, 'keyId', s.key_id, 'period', s.period, 'sends', s.sends)), '[]')
        FROM asked, jsonb_to_recordset(q -> 'limited') AS p (${columnsOf(LIMITED)})
        JOIN key_sends s ON s.account_id = p.a AND s.key_id = p.v
        WHERE s.starts_at >= CASE s.period WHEN 'hour' THEN ${hourStart}::timestamptz ELSE ${dayStart}::timestamptz END)
        AS sent`,
    ),
);

/** All the facts that the acceptance rules need for a batch. `verifiedDomains` includes degraded domains, which may still send. */
export type AcceptanceFacts = RowOf<typeof readFacts>;

/** Reads all facts in one round trip. */
export async function readAcceptanceFacts(query: Query, questions: AcceptanceQuestions): Promise<AcceptanceFacts> {
  const { month, monthlyQuota, now, idempotencyHorizon, hourStart, dayStart } = questions;
  const asked = JSON.stringify(toQuestionJson(questions));
  const [facts] = await readFacts(query, { asked, month, monthlyQuota, now, idempotencyHorizon, hourStart, dayStart });
  if (facts === undefined) throw new Error('the acceptance facts were not one row');
  return facts;
}

function columnsOf(fields: ResultFields) {
  return sql.raw(recordColumns(fields));
}

interface QuestionJson {
  readonly accounts: readonly (typeof accounts.$inferSelect.id)[];
  readonly domains: readonly RecordOf<typeof DOMAIN>[];
  readonly recipients: readonly RecordOf<typeof RECIPIENT>[];
  readonly keys: readonly RecordOf<typeof KEY>[];
  readonly limited: readonly RecordOf<typeof LIMITED>[];
}

function toQuestionJson(questions: AcceptanceQuestions): QuestionJson {
  return {
    accounts: [...new Set(questions.accountIds)],
    domains: distinct(questions.domains),
    recipients: distinct(questions.recipients),
    keys: questions.idempotencyKeys.map(({ accountId: a, keyId: k, value: v }) => ({ a, k, v })),
    limited: distinct(questions.limitedKeys),
  };
}

function distinct(pairs: readonly Pair[]): readonly { readonly a: string; readonly v: string }[] {
  const unique = new Map(
    pairs.map((pair) => [`${pair.accountId} ${pair.value}`, { a: pair.accountId, v: pair.value }]),
  );
  return [...unique.values()];
}
