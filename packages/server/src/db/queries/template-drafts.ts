import { builder } from '../builder.ts';
import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { and, eq, type SQL, sql } from '../drizzle.ts';
import { executing, nullable, pg, present, returning } from '../result.ts';
import { apiKeys } from '../schema/keys.ts';
import { type PartAuthors, templates, templateVersions } from '../schema/templates.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';
import { rulesOfAuthor } from './deciding-members.ts';

const DRAFT = {
  id: present(templateVersions.draftId),
  templateId: templates.id,
  slug: templates.slug,
  name: templates.name,
  version: templateVersions.version,
  baseVersion: templateVersions.baseVersion,
  currentVersion: templates.currentVersion,
  subject: templateVersions.subject,
  html: templateVersions.html,
  text: templateVersions.text,
  currentSubject: nullable(templateVersions.subject),
  currentHtml: nullable(templateVersions.html),
  currentText: nullable(templateVersions.text),
  createdBy: templateVersions.createdBy,
  keyName: nullable(apiKeys.name),
  createdAt: templateVersions.createdAt,
  note: templateVersions.note,
  /** What publishing it needs, by the rules of the account and of its author: see readApproverRules. */
  needsPasskey: pg.bool,
  approvalsNeeded: pg.int4,
  approverIds: nullable(apiKeys.approverIds),
};

const RULES = rulesOfAuthor(sql`a`);

const COLUMNS = sql`d.draft_id AS id, t.id AS "templateId", t.slug, t.name, d.version, d.base_version AS "baseVersion", t.current_version AS "currentVersion",
  d.subject, d.html, d.text, c.subject AS "currentSubject", c.html AS "currentHtml", c.text AS "currentText",
  d.created_by AS "createdBy", k.name AS "keyName", d.created_at AS "createdAt", d.note,
  ${RULES.needsPasskey} AS "needsPasskey", ${RULES.count} AS "approvalsNeeded", ${RULES.memberIds} AS "approverIds"`;

const TABLES = sql`template_versions d
  JOIN accounts a ON a.id = d.account_id
  JOIN templates t ON t.account_id = d.account_id AND t.id = d.template_id
  LEFT JOIN template_versions c ON c.account_id = t.account_id AND c.template_id = t.id AND c.version = t.current_version
  LEFT JOIN api_keys k ON k.account_id = d.account_id AND k.id::text = d.created_by`;

/** Selects drafts of an account: those of the key that wrote them, or all. */
const FILTERS = { accountId: templateVersions.accountId, keyId: optional(value<string>()) };

function matches({ accountId, keyId }: GivenOf<typeof FILTERS>) {
  return sql`d.account_id = ${accountId} AND d.status = 'draft' ${keyId && sql`AND d.created_by = ${keyId}`}`;
}

const list = defineStatement(
  { ...FILTERS, before: optional(templateVersions.draftId), limit: value<number>(), bodyBytes: value<number>() },
  ({ before, limit, bodyBytes, ...filters }) =>
    returning(
      { ...DRAFT, more: pg.int4 },
      sql`
        WITH page AS (
          SELECT d.draft_id, count(*) OVER () - row_number() OVER (ORDER BY d.draft_id DESC) + 1 AS more,
            coalesce(sum(${sizeOf('d')} + coalesce(${sizeOf('c')}, 0))
              OVER (ORDER BY d.draft_id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before_bytes
          FROM template_versions d
          JOIN templates t ON t.account_id = d.account_id AND t.id = d.template_id
          LEFT JOIN template_versions c ON c.account_id = t.account_id AND c.template_id = t.id AND c.version = t.current_version
          WHERE ${matches(filters)} ${before && sql`AND d.draft_id < ${before}`}
          ORDER BY d.draft_id DESC
          LIMIT ${limit}
        )
        SELECT ${COLUMNS}, p.more::int AS more FROM ${TABLES}
        JOIN page p ON p.draft_id = d.draft_id
        WHERE d.account_id = ${filters.accountId} AND p.before_bytes < ${bodyBytes}
        ORDER BY d.draft_id DESC`,
    ),
);

function sizeOf(table: 'd' | 'c') {
  const sizes = ['subject', 'html', 'text'].map((part) => `coalesce(octet_length(${table}.${part}), 0)`);
  return sql.raw(sizes.join(' + '));
}

/** Selects drafts of an account. */
export interface DraftFilters {
  readonly accountId: string;
  /** The id of the key that wrote them; null: any author. */
  readonly keyId: string | null;
}

/**
 * One page, newest first, with as many drafts as fit and at least one. `more` is the number of drafts from a row onward, including that
 * row.
 */
export async function listDrafts(
  query: Query,
  filters: DraftFilters,
  page: { readonly before: string | null; readonly limit: number; readonly bodyBytes: number },
): Promise<readonly RowOf<typeof list>[]> {
  return await list(query, { ...filters, ...page });
}

/** Counts no further than `cap`. */
export const countDrafts = asCount(
  defineStatement({ ...FILTERS, cap: value<number>() }, ({ cap, ...filters }) =>
    countUpTo(cap, sql`SELECT FROM template_versions d WHERE ${matches(filters)}`),
  ),
);

const VERSION = {
  accountId: templateVersions.accountId,
  templateId: templateVersions.templateId,
  version: templateVersions.version,
};

const read = defineStatement(VERSION, ({ accountId, templateId, version }) =>
  returning(
    DRAFT,
    sql`
      SELECT ${COLUMNS} FROM ${TABLES}
      WHERE d.account_id = ${accountId} AND d.template_id = ${templateId} AND d.version = ${version} AND d.status = 'draft'`,
  ),
);

/** A draft with what it would replace; the fields of that are null if the template has only drafts. */
export type DraftRow = RowOf<typeof read>;

/** One draft; null if that version is not a draft. */
export async function readDraft(
  query: Query,
  accountId: string,
  templateId: string,
  version: number,
): Promise<DraftRow | null> {
  const [row] = await read(query, { accountId, templateId, version });
  return row ?? null;
}

const lock = defineStatement({ accountId: apiKeys.accountId, keyId: apiKeys.id }, ({ accountId, keyId }) =>
  returning(
    { isHeld: pg.bool, isTest: pg.bool, isRevoked: pg.bool, isPaused: pg.bool },
    sql`
      SELECT k.approval_mode <> 'off' AS "isHeld", k.mode = 'test' AS "isTest", k.revoked_at IS NOT NULL AS "isRevoked",
        NOT k.is_seat AND coalesce(k.paused_at, a.paused_at) IS NOT NULL AS "isPaused"
      FROM api_keys k JOIN accounts a ON a.id = k.account_id
      WHERE k.account_id = ${accountId} AND k.id = ${keyId} FOR NO KEY UPDATE OF k`,
  ),
);

/**
 * The current state of what decides whether a writer's versions are drafts. The key is paused if it or its account is; a pause does not
 * restrict users.
 */
export type WriterState = RowOf<typeof lock>;

/** Locks the writer's key, so that its approval mode and its number of drafts do not change until the transaction ends. */
export async function lockWriter(transaction: Query, accountId: string, keyId: string): Promise<WriterState | null> {
  const [row] = await lock(transaction, { accountId, keyId });
  return row ?? null;
}

const publish = defineStatement(
  {
    ...VERSION,
    authors: value<string>(),
    publishedBy: templateVersions.publishedBy,
    now: templateVersions.publishedAt,
  },
  ({ authors, publishedBy, now, ...version }) =>
    builder
      .update(templateVersions)
      .set({ status: 'published', authors: sql`${authors}::text::jsonb`, publishedBy, publishedAt: now })
      .where(isDraft(version)),
);

function isDraft({ accountId, templateId, version }: GivenOf<typeof VERSION>): SQL | undefined {
  return and(
    eq(templateVersions.accountId, accountId),
    eq(templateVersions.templateId, templateId),
    eq(templateVersions.version, version),
    eq(templateVersions.status, sql`'draft'`),
  );
}

/** Turns a draft into a published version. */
export async function publishVersion(
  transaction: Query,
  accountId: string,
  templateId: string,
  change: {
    readonly version: number;
    readonly authors: PartAuthors;
    readonly publishedBy: string;
    readonly now: Date;
  },
): Promise<void> {
  await publish(transaction, { accountId, templateId, ...change, authors: JSON.stringify(change.authors) });
}

const removeDraft = defineStatement(VERSION, (version) => builder.delete(templateVersions).where(isDraft(version)));

/** Removes a draft; published versions stay. */
export async function deleteDraft(
  transaction: Query,
  accountId: string,
  templateId: string,
  version: number,
): Promise<void> {
  await removeDraft(transaction, { accountId, templateId, version });
}

const removeEmpty = defineStatement(
  { accountId: templates.accountId, templateId: templates.id },
  ({ accountId, templateId }) =>
    executing(sql`
      DELETE FROM templates t WHERE t.account_id = ${accountId} AND t.id = ${templateId}
        AND NOT EXISTS (SELECT FROM template_versions v WHERE v.account_id = t.account_id AND v.template_id = t.id)`),
);

/** Removes a template that has no version left. */
export async function deleteEmptyTemplate(transaction: Query, accountId: string, templateId: string): Promise<void> {
  await removeEmpty(transaction, { accountId, templateId });
}

const updateLast = defineStatement(
  { accountId: templates.accountId, templateId: templates.id, lastVersion: templates.lastVersion },
  ({ accountId, templateId, lastVersion }) =>
    builder
      .update(templates)
      .set({ lastVersion })
      .where(and(eq(templates.accountId, accountId), eq(templates.id, templateId))),
);

/** Records the highest version number ever used; senders see no change. */
export async function setLastVersion(
  transaction: Query,
  accountId: string,
  templateId: string,
  lastVersion: number,
): Promise<void> {
  await updateLast(transaction, { accountId, templateId, lastVersion });
}
