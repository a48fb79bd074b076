import type { Query } from '../client.ts';
import type { PartAuthors } from '../schema/templates.ts';
import type { TemplateContent } from './templates.ts';

/** A draft beside what it would replace. */
export interface DraftRow extends TemplateContent {
  readonly id: string;
  readonly templateId: string;
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly baseVersion: number | null;
  /** Null where the template has drafts only. */
  readonly currentVersion: number | null;
  readonly currentSubject: string | null;
  readonly currentHtml: string | null;
  readonly currentText: string | null;
  readonly createdBy: string | null;
  readonly keyName: string | null;
  readonly createdAt: Date;
  readonly note: string | null;
}

/** Which drafts of an account are asked for. */
export interface DraftFilters {
  readonly accountId: string;
  /** The id of the key that wrote them; null: any author. */
  readonly keyId: string | null;
}

/** One page, newest first, as many as fit and one at least; `more` is how many drafts come behind a row, itself included. */
export async function listDrafts(
  query: Query,
  { accountId, keyId }: DraftFilters,
  { before, limit, bodyBytes }: { readonly before: string | null; readonly limit: number; readonly bodyBytes: number },
): Promise<readonly (DraftRow & { readonly more: number })[]> {
  return await query<(DraftRow & { more: number })[]>`
    WITH page AS (
      SELECT d.draft_id, count(*) OVER () - row_number() OVER (ORDER BY d.draft_id DESC) + 1 AS more,
        coalesce(sum(${sizeOf(query, 'd')} + coalesce(${sizeOf(query, 'c')}, 0))
          OVER (ORDER BY d.draft_id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before_bytes
      FROM template_versions d
      JOIN templates t ON t.account_id = d.account_id AND t.id = d.template_id
      LEFT JOIN template_versions c ON c.account_id = t.account_id AND c.template_id = t.id AND c.version = t.current_version
      WHERE d.account_id = ${accountId} AND d.status = 'draft' ${keyId === null ? query`` : query`AND d.created_by = ${keyId}`}
        ${before === null ? query`` : query`AND d.draft_id < ${before}`}
      ORDER BY d.draft_id DESC
      LIMIT ${limit}
    )
    SELECT ${draftColumns(query)}, p.more::int AS more FROM ${draftTables(query)}
    JOIN page p ON p.draft_id = d.draft_id
    WHERE d.account_id = ${accountId} AND p.before_bytes < ${bodyBytes}
    ORDER BY d.draft_id DESC`;
}

/** Counts no further than `cap`. */
export async function countDrafts(query: Query, { accountId, keyId }: DraftFilters, cap: number): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT FROM template_versions d WHERE d.account_id = ${accountId} AND d.status = 'draft'
        ${keyId === null ? query`` : query`AND d.created_by = ${keyId}`} LIMIT ${cap}) AS matches`;
  return row?.count ?? 0;
}

/** One draft; null where that version is none. */
export async function readDraft(
  query: Query,
  accountId: string,
  templateId: string,
  version: number,
): Promise<DraftRow | null> {
  const [row] = await query<DraftRow[]>`
    SELECT ${draftColumns(query)} FROM ${draftTables(query)}
    WHERE d.account_id = ${accountId} AND d.template_id = ${templateId} AND d.version = ${version} AND d.status = 'draft'`;
  return row ?? null;
}

function draftColumns(query: Query) {
  return query`d.draft_id AS id, t.id AS "templateId", t.slug, t.name, d.version, d.base_version AS "baseVersion", t.current_version AS "currentVersion",
      d.subject, d.html, d.text, c.subject AS "currentSubject", c.html AS "currentHtml", c.text AS "currentText",
      d.created_by AS "createdBy", k.name AS "keyName", d.created_at AS "createdAt", d.note`;
}

function draftTables(query: Query) {
  return query`template_versions d
    JOIN templates t ON t.account_id = d.account_id AND t.id = d.template_id
    LEFT JOIN template_versions c ON c.account_id = t.account_id AND c.template_id = t.id AND c.version = t.current_version
    LEFT JOIN api_keys k ON k.account_id = d.account_id AND k.id::text = d.created_by`;
}

function sizeOf(query: Query, table: 'd' | 'c') {
  const [subject, html, text] = [query(`${table}.subject`), query(`${table}.html`), query(`${table}.text`)];
  return query`coalesce(octet_length(${subject}), 0) + coalesce(octet_length(${html}), 0) + coalesce(octet_length(${text}), 0)`;
}

/** What decides whether a writer's versions are drafts, as the database has it now. */
export interface WriterState {
  readonly isHeld: boolean;
  readonly isTest: boolean;
  readonly isRevoked: boolean;
  /** The key or its account; a pause does not restrict users. */
  readonly isPaused: boolean;
}

/** Locks the writer's key, so that its approval mode and the number of its drafts stay the same until the transaction ends. */
export async function lockWriter(transaction: Query, accountId: string, keyId: string): Promise<WriterState | null> {
  const [row] = await transaction<WriterState[]>`
    SELECT k.approval_mode <> 'off' AS "isHeld", k.mode = 'test' AS "isTest", k.revoked_at IS NOT NULL AS "isRevoked",
      NOT k.is_seat AND coalesce(k.paused_at, a.paused_at) IS NOT NULL AS "isPaused"
    FROM api_keys k JOIN accounts a ON a.id = k.account_id
    WHERE k.account_id = ${accountId} AND k.id = ${keyId} FOR NO KEY UPDATE OF k`;
  return row ?? null;
}

/** Makes a draft a published version. */
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
  await transaction`
    UPDATE template_versions SET status = 'published', authors = ${JSON.stringify(change.authors)}::text::jsonb,
      published_by = ${change.publishedBy}, published_at = ${change.now}
    WHERE account_id = ${accountId} AND template_id = ${templateId} AND version = ${change.version} AND status = 'draft'`;
}

/** Removes a draft; published versions stay. */
export async function deleteDraft(
  transaction: Query,
  accountId: string,
  templateId: string,
  version: number,
): Promise<void> {
  await transaction`
    DELETE FROM template_versions
    WHERE account_id = ${accountId} AND template_id = ${templateId} AND version = ${version} AND status = 'draft'`;
}

/** Removes a template that has no version left. */
export async function deleteEmptyTemplate(transaction: Query, accountId: string, templateId: string): Promise<void> {
  await transaction`
    DELETE FROM templates t WHERE t.account_id = ${accountId} AND t.id = ${templateId}
      AND NOT EXISTS (SELECT FROM template_versions v WHERE v.account_id = t.account_id AND v.template_id = t.id)`;
}

/** Records the highest number that a version was given; nothing that senders see changes. */
export async function setLastVersion(
  transaction: Query,
  accountId: string,
  templateId: string,
  lastVersion: number,
): Promise<void> {
  await transaction`
    UPDATE templates SET last_version = ${lastVersion} WHERE account_id = ${accountId} AND id = ${templateId}`;
}
