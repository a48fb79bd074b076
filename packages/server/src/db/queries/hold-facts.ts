import { rolesGranting, VISIBILITY_RULES } from '@postrider/core';
import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { recordColumns } from '../record-columns.ts';
import { narrowed, pg, returning } from '../result.ts';
import type { accounts } from '../schema/accounts.ts';
import { apiKeys } from '../schema/keys.ts';
import { messageRecipients } from '../schema/messages.ts';
import { templates as storedTemplates } from '../schema/templates.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { UNDECIDED } from './insert-holds.ts';
import { POSTMASTER_KEY_ID } from './postmaster-account.ts';

/** The values that the approval rules need to know about for a batch. Duplicates are allowed. */
export interface HoldQuestions {
  readonly keys: readonly { readonly accountId: string; readonly keyId: string }[];
  /** Folded recipients, for keys that hold sends by recipient. */
  readonly recipients: readonly { readonly accountId: string; readonly keyId: string; readonly email: string }[];
  /** Stored templates, for keys whose own content is held. */
  readonly templates: readonly AskedTemplate[];
  /** Domains of Reply-To addresses in sends of stored templates. */
  readonly replyDomains: readonly string[];
}

export interface AskedTemplate {
  readonly accountId: string;
  readonly keyId: string;
  /** The slug with the version, such as `welcome@3`. */
  readonly template: string;
  /**
   * Who vouches for the parts that are sent; a null element means that no one is known. Null as a whole if only the template's name is
   * known.
   */
  readonly makers: readonly (string | null)[] | null;
  /** When the name referred to the content that is sent. Used only if `makers` is null. */
  readonly namedAt: Date | null;
}

export interface HoldingKey extends Pick<typeof accounts.$inferSelect, 'approvalHours'> {
  readonly keyId: string;
  readonly isRevoked: boolean;
  /** The key's undecided holds; the count stops at 1,001. */
  readonly undecided: number;
  /** Quota units that the account's undecided holds reserve. */
  readonly reserved: number;
  readonly accountName: string;
  /** Those of the requested Reply-To domains that the account has verified. */
  readonly replyDomains: readonly string[];
}

export interface KnownRecipient {
  readonly accountId: string;
  readonly keyId: string;
  readonly email: string;
  /** Whether the account has written to the address before, as far as the key may see it. */
  readonly isKnown: boolean;
  /** Whether an approver trusted the address for this key. */
  readonly isTrusted: boolean;
}

/** Whether the key `k` may see the bcc recipients of other senders. For a program that signed in, `g` is the user who allowed it. */
const seesBlind = sql.join(
  VISIBILITY_RULES['message.private'].others.map(
    (scope) => sql`${sql.param(scope)} = ANY (k.scopes)
      AND (k.client_id IS NULL OR g.role = ANY (${sql.param(rolesGranting(scope))}::text[]))`,
  ),
  sql` OR `,
);

/** Statuses of recipients whose mail was released for sending, whatever its result. */
const WRITTEN_TO = ['queued', 'sending', 'sent', 'delivered', 'deferred', 'bounced', 'complained'];

/**
 * A message makes its recipient a known contact if it was released and one of the account's own senders sent it. Not counted: mail of the
 * installation, mail of test keys, and mail that a key sent under an approval rule without an approval, so that one held key cannot create
 * contacts for another. A bcc recipient counts only for keys that may see it; otherwise a dry run would confirm a guess about it.
 */
function writtenTo(messageId: SQL) {
  return sql`message_recipients r ON r.account_id = p.a AND r.message_id = ${messageId}
      AND lower(r.email) = p.e AND r.status = ANY (${sql.param(WRITTEN_TO)}::text[])
    JOIN messages w ON w.account_id = p.a AND w.id = r.message_id
      AND w.key_id <> ${POSTMASTER_KEY_ID} AND (r.kind <> 'bcc' OR w.key_id = p.k OR p.sees_blind)
    JOIN api_keys t ON t.account_id = p.a AND t.id = coalesce(w.asked_by, w.key_id) AND t.mode <> 'test'
      AND NOT EXISTS (SELECT FROM api_keys i WHERE i.account_id = p.a AND i.id = w.key_id AND i.mode = 'test')
      AND (t.approval_mode = 'off' OR w.created_at < t.held_since
        OR EXISTS (SELECT FROM approvals h WHERE h.account_id = p.a AND h.message_id = w.id AND h.status = 'approved'))`;
}

const KEY = { a: apiKeys.accountId, k: apiKeys.id };
const RECIPIENT = { ...KEY, e: messageRecipients.email };
const TEMPLATE = { ...KEY, n: pg.text, m: pg.textArray, t: storedTemplates.updatedAt };

const read = defineStatement(
  {
    keys: value<string>(),
    recipients: value<string>(),
    templates: value<string>(),
    replyDomains: value<readonly string[]>(),
  },
  ({ keys, recipients, templates, replyDomains }) =>
    returning(
      {
        keys: narrowed<readonly HoldingKey[]>(pg.json),
        recipients: narrowed<readonly KnownRecipient[]>(pg.json),
        /** Those of the requested templates whose every part is vouched for by someone who is not held. */
        vouched: narrowed<readonly Pick<AskedTemplate, 'keyId' | 'template' | 'makers'>[]>(pg.json),
      },
      sql`
    WITH asked_keys AS MATERIALIZED (
      SELECT DISTINCT a, k FROM json_to_recordset(${keys}::text::json)
        AS j (${sql.raw(recordColumns(KEY))})
    ),
    asked AS MATERIALIZED (
      SELECT DISTINCT a, k, e FROM json_to_recordset(${recipients}::text::json) AS j (${sql.raw(recordColumns(RECIPIENT))})
    ),
    askers AS MATERIALIZED (
      SELECT q.a, q.k, q.e, coalesce(${seesBlind}, false) AS sees_blind
      FROM asked q LEFT JOIN api_keys k ON k.account_id = q.a AND k.id = q.k
        LEFT JOIN members g ON g.account_id = k.account_id AND g.id = k.created_by_member
    ),
    met AS MATERIALIZED (
      SELECT p.a, p.k, p.e FROM askers p
      WHERE EXISTS (
          SELECT FROM message_search s JOIN ${writtenTo(sql`s.message_id`)}
          WHERE s.account_id = p.a AND s.facets @> search_facets(p.a, ARRAY['recipient:' || p.e]))
        OR EXISTS (
          SELECT FROM search_backlog b, unnest(b.message_ids) AS n (message_id) JOIN ${writtenTo(sql`n.message_id`)}
          WHERE b.account_id = p.a)
    )
    SELECT
      (SELECT coalesce(json_agg(json_build_object('keyId', q.k, 'approvalHours', c.approval_hours, 'accountName', c.name,
          'replyDomains', (SELECT coalesce(json_agg(d.name), '[]') FROM sending_domains d
            WHERE d.account_id = q.a AND d.name = ANY (${replyDomains}::text[]) AND is_sendable(d.status)),
          'isRevoked', k.id IS NULL OR k.revoked_at IS NOT NULL,
          'undecided', ${UNDECIDED},
          'reserved', (SELECT coalesce(sum(h.charged), 0) FROM approvals h WHERE h.account_id = q.a AND h.status = 'pending'))), '[]')
        FROM asked_keys q JOIN accounts c ON c.id = q.a LEFT JOIN api_keys k ON k.account_id = q.a AND k.id = q.k) AS keys,
      (SELECT coalesce(json_agg(json_build_object('accountId', q.a, 'keyId', q.k, 'email', q.e,
          'isKnown', EXISTS (SELECT FROM met m WHERE m.a = q.a AND m.k = q.k AND m.e = q.e),
          'isTrusted', EXISTS (SELECT FROM trusted_recipients t WHERE t.account_id = q.a AND t.key_id = q.k AND t.email = q.e))), '[]')
        FROM asked q) AS recipients,
      (SELECT coalesce(json_agg(json_build_object('keyId', q.k, 'template', q.n, 'makers', q.m)), '[]')
        FROM json_to_recordset(${templates}::text::json) AS q (${sql.raw(recordColumns(TEMPLATE))})
        CROSS JOIN LATERAL (SELECT coalesce(q.m, (SELECT template_vouchers(v) FROM templates t
          JOIN template_versions v ON v.account_id = t.account_id AND v.template_id = t.id AND v.version = split_part(q.n, '@', 2)::int
          WHERE t.account_id = q.a AND t.slug = split_part(q.n, '@', 1) AND t.updated_at <= q.t AND v.status = 'published')) AS makers) AS made
        WHERE cardinality(made.makers) > 0 AND NOT EXISTS (
          SELECT FROM unnest(made.makers) AS u (maker) WHERE u.maker IS NULL OR u.maker = q.k::text OR EXISTS (
            SELECT FROM api_keys c WHERE c.account_id = q.a AND c.id::text = u.maker AND (c.approval_mode <> 'off' OR c.mode = 'test'))))
        AS vouched`,
    ),
);

export type HoldFacts = RowOf<typeof read>;

/**
 * Reads the facts that the approval rules need. Each part of a template is vouched for by its author or by who published it, except the
 * sending key itself, held keys and test keys. If only a name is known, the template must not have changed since. Known contacts come from
 * the message log's search index and from its backlog of messages that are not indexed yet.
 */
export async function readHoldFacts(
  query: Query,
  { keys, recipients, templates, replyDomains }: HoldQuestions,
): Promise<HoldFacts> {
  const asked = templates.map(({ accountId: a, keyId: k, template: n, makers: m, namedAt: t }) => ({ a, k, n, m, t }));
  const [row] = await read(query, {
    keys: JSON.stringify(keys.map(({ accountId: a, keyId: k }) => ({ a, k }))),
    recipients: JSON.stringify(recipients.map(({ accountId: a, keyId: k, email: e }) => ({ a, k, e }))),
    templates: JSON.stringify(asked),
    replyDomains,
  });
  return row ?? { keys: [], recipients: [], vouched: [] };
}
