import type { Query } from '../client.ts';
import type { PartAuthors, VariablesJson, VersionStatus } from '../schema/templates.ts';

/** How a template is named: by its id, or by its slug. */
export type TemplateName = { readonly id: string } | { readonly slug: string };

export interface TemplateContent {
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
}

/** One version of a template, as a send needs it. */
export interface TemplateSourceRow extends TemplateContent {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly status: VersionStatus;
}

/** A draft is rendered only as a preview. */
export interface MadeTemplateSource extends TemplateSourceRow {
  /** The id of the key or the person that made this version. */
  readonly createdBy: string | null;
  /** Null on versions from before parts had authors. */
  readonly authors: PartAuthors | null;
}

export interface TemplateRow extends TemplateSourceRow {
  /** Null while there are drafts only. */
  readonly currentVersion: number | null;
  readonly variables: VariablesJson;
  readonly versions: readonly {
    readonly version: number;
    readonly status: VersionStatus;
    readonly createdAt: string;
    readonly createdBy: string | null;
    readonly publishedAt: string | null;
    readonly publishedBy: string | null;
    readonly authors: Readonly<Record<'subject' | 'html' | 'text', string | null>>;
    readonly note: string | null;
  }[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NewVersion extends TemplateContent {
  readonly accountId: string;
  readonly templateId: string;
  readonly version: number;
  readonly variables: VariablesJson;
  readonly note: string | null;
  readonly createdBy: string | null;
  readonly authors: PartAuthors;
  readonly status: VersionStatus;
  /** Of a draft: its place among the drafts. */
  readonly draftId: string | null;
  /** Of a draft: the version that was current then. */
  readonly baseVersion: number | null;
  /** Of a draft that replaces another one: when the approvers were mailed about that one. */
  readonly toldAt: Date | null;
  readonly now: Date;
}

export interface NewTemplate {
  readonly accountId: string;
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** Whether its first version is a draft, so that it has no current one yet. */
  readonly isDraft: boolean;
  readonly now: Date;
}

/** Adds a template that has no version yet; false where the account has one of that slug. */
export async function insertTemplate(query: Query, template: NewTemplate): Promise<boolean> {
  const rows = await query`
    INSERT INTO templates (account_id, id, slug, name, current_version, last_version, created_at, updated_at)
    VALUES (${template.accountId}, ${template.id}, ${template.slug}, ${template.name}, ${template.isDraft ? null : 1}, 1, ${template.now},
      ${template.now})
    ON CONFLICT (account_id, slug) DO NOTHING
    RETURNING id`;
  return rows.length > 0;
}

export async function insertTemplateVersion(query: Query, version: NewVersion): Promise<void> {
  await query`
    INSERT INTO template_versions (account_id, template_id, version, subject, html, text, variables, note, created_by, created_at, authors,
      status, draft_id, base_version, told_at)
    VALUES (${version.accountId}, ${version.templateId}, ${version.version}, ${version.subject}, ${version.html}, ${version.text},
      ${JSON.stringify(version.variables)}::text::jsonb, ${version.note}, ${version.createdBy}, ${version.now},
      ${JSON.stringify(version.authors)}::text::jsonb, ${version.status}, ${version.draftId}, ${version.baseVersion}, ${version.toldAt})`;
}

export interface LockedTemplate {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** Null while there are drafts only. */
  readonly currentVersion: number | null;
  /** The highest number that a version was ever given. */
  readonly lastVersion: number;
}

/** Locks a template until the transaction ends, so that changes of it come one after the other; null where there is none. */
export async function lockTemplate(
  query: Query,
  accountId: string,
  name: TemplateName,
): Promise<LockedTemplate | null> {
  const [row] = await query<LockedTemplate[]>`
    SELECT t.id, t.slug, t.name, t.current_version AS "currentVersion",
      greatest(t.last_version, t.current_version) AS "lastVersion"
    FROM templates t
    WHERE t.account_id = ${accountId} AND ${named(query, name)}
    FOR UPDATE`;
  return row ?? null;
}

export interface TemplateChange {
  /** Null: as it was. */
  readonly slug: string | null;
  readonly name: string | null;
  readonly currentVersion: number | null;
  readonly lastVersion: number;
  readonly now: Date;
}

/** Fails with a unique violation where the account has another template of the new slug. */
export async function updateTemplate(
  query: Query,
  accountId: string,
  id: string,
  change: TemplateChange,
): Promise<void> {
  await query`
    UPDATE templates SET slug = coalesce(${change.slug}, slug), name = coalesce(${change.name}, name),
      current_version = ${change.currentVersion}, last_version = ${change.lastVersion}, updated_at = ${change.now}
    WHERE account_id = ${accountId} AND id = ${id}`;
}

/** Removes a template with its versions; false where it was gone already. */
export async function deleteTemplate(query: Query, accountId: string, id: string): Promise<boolean> {
  const rows = await query`DELETE FROM templates WHERE account_id = ${accountId} AND id = ${id} RETURNING id`;
  return rows.length > 0;
}

/** One version as other versions are made from it. */
export interface VersionRow extends TemplateContent {
  readonly version: number;
  readonly status: VersionStatus;
  readonly variables: VariablesJson;
  readonly authors: PartAuthors | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly note: string | null;
  readonly baseVersion: number | null;
  readonly toldAt: Date | null;
}

/** Null where there is none of that number. */
export async function readTemplateVersion(
  query: Query,
  accountId: string,
  templateId: string,
  version: number,
): Promise<VersionRow | null> {
  const [row] = await query<VersionRow[]>`
    SELECT ${versionColumns(query)} FROM template_versions v
    WHERE v.account_id = ${accountId} AND v.template_id = ${templateId} AND v.version = ${version}`;
  return row ?? null;
}

/** The drafts of a template, oldest first. */
export async function readDraftsOf(
  query: Query,
  accountId: string,
  templateId: string,
): Promise<readonly VersionRow[]> {
  return await query<VersionRow[]>`
    SELECT ${versionColumns(query)} FROM template_versions v
    WHERE v.account_id = ${accountId} AND v.template_id = ${templateId} AND v.status = 'draft' ORDER BY v.version`;
}

function versionColumns(query: Query) {
  return query`v.version, v.status, v.subject, v.html, v.text, v.variables, v.authors, v.created_by AS "createdBy",
    v.created_at AS "createdAt", v.note, v.base_version AS "baseVersion", v.told_at AS "toldAt"`;
}

/**
 * A template's content in one version. Where `version` is null, the current one, or the newest draft of a template that has no current one:
 * its status says so. Null where there is no such template or version, or none that may be seen.
 */
export async function readTemplateSource(
  query: Query,
  accountId: string,
  name: TemplateName,
  { version, draftsOf }: VersionChoice,
): Promise<MadeTemplateSource | null> {
  const [row] = await query<MadeTemplateSource[]>`
    SELECT t.id, t.slug, t.name, v.version, v.status, v.subject, v.html, v.text, v.created_by AS "createdBy", v.authors
    FROM templates t
    JOIN template_versions v ON v.account_id = t.account_id AND v.template_id = t.id
      AND v.version = coalesce(${version}::int, ${shownVersion(query, draftsOf)}) ${isShown(query, draftsOf)}
    WHERE t.account_id = ${accountId} AND ${named(query, name)}`;
  return row ?? null;
}

export interface VersionChoice {
  /** Null: the current one. */
  readonly version: number | null;
  /** Drafts of this author alone can be seen; null: all. */
  readonly draftsOf: string | null;
}

export interface ReadOptions extends VersionChoice {
  /** The most versions in the history. */
  readonly versionsShown: number;
}

/** A template with one version's content and its history; null where there is no such template or version. */
export async function readTemplate(
  query: Query,
  accountId: string,
  name: TemplateName,
  options: ReadOptions,
): Promise<TemplateRow | null> {
  const [row] = await query<TemplateRow[]>`
    SELECT ${columns(query, options)}
    FROM templates t
    JOIN template_versions v ON v.account_id = t.account_id AND v.template_id = t.id
      AND v.version = coalesce(${options.version}::int, ${shownVersion(query, options.draftsOf)}) ${isShown(query, options.draftsOf)}
    WHERE t.account_id = ${accountId} AND ${named(query, name)}`;
  return row ?? null;
}

export interface TemplatePosition {
  readonly accountId: string;
  /** Only ids below this one; null for the first page. */
  readonly before: string | null;
  readonly limit: number;
  readonly versionsShown: number;
  /** As in `VersionChoice`: a template that has no other version is left out. */
  readonly draftsOf: string | null;
  /** A page ends behind the template with which its bodies reach this size. */
  readonly bodyBytes: number;
}

/** One page, newest first; `more` is how many templates come behind a row, itself included. */
export async function listTemplates(
  query: Query,
  position: TemplatePosition,
): Promise<readonly (TemplateRow & { readonly more: number })[]> {
  return await query<(TemplateRow & { more: number })[]>`
    WITH page AS (
      SELECT t.*, count(*) OVER () - row_number() OVER (ORDER BY t.id DESC) + 1 AS more,
        coalesce(sum(coalesce(octet_length(v.html), 0) + coalesce(octet_length(v.text), 0))
          OVER (ORDER BY t.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before_bytes
      FROM templates t
      JOIN template_versions v ON v.account_id = t.account_id AND v.template_id = t.id AND v.version = ${shownVersion(query, position.draftsOf)}
      WHERE t.account_id = ${position.accountId}
        ${position.before === null ? query`` : query`AND t.id < ${position.before}`}
      ORDER BY t.id DESC
      LIMIT ${position.limit}
    )
    SELECT ${columns(query, position)}, t.more::int AS more
    FROM page t
    JOIN template_versions v ON v.account_id = t.account_id AND v.template_id = t.id
      AND v.version = ${shownVersion(query, position.draftsOf)}
    WHERE t.before_bytes < ${position.bodyBytes}
    ORDER BY t.id DESC`;
}

/** Counts templates, but never past `cap`. */
export async function countTemplates(
  query: Query,
  { accountId, draftsOf }: Pick<TemplatePosition, 'accountId' | 'draftsOf'>,
  cap: number,
): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM templates t WHERE t.account_id = ${accountId} AND ${shownVersion(query, draftsOf)} IS NOT NULL LIMIT ${cap}) AS matches`;
  return row?.count ?? 0;
}

function named(query: Query, name: TemplateName) {
  return 'id' in name ? query`t.id = ${name.id}` : query`t.slug = ${name.slug}`;
}

/** The current version; of a template with drafts only, the newest of those that may be seen. */
function shownVersion(query: Query, draftsOf: string | null) {
  return query`coalesce(t.current_version, (SELECT max(d.version) FROM template_versions d
    WHERE d.account_id = t.account_id AND d.template_id = t.id ${draftsOf === null ? query`` : query`AND d.created_by = ${draftsOf}`}))`;
}

function isShown(query: Query, draftsOf: string | null) {
  return draftsOf === null ? query`` : query`AND (v.status <> 'draft' OR v.created_by = ${draftsOf})`;
}

function columns(query: Query, { versionsShown, draftsOf }: Pick<ReadOptions, 'versionsShown' | 'draftsOf'>) {
  return query`
    t.id, t.slug, t.name, t.current_version AS "currentVersion", t.created_at AS "createdAt", t.updated_at AS "updatedAt",
    v.version, v.status, v.subject, v.html, v.text, v.variables,
    (SELECT json_agg(json_build_object(
        'version', h.version, 'status', h.status, 'createdAt', h.created_at, 'createdBy', h.created_by, 'note', h.note,
        'publishedAt', CASE h.status WHEN 'published' THEN coalesce(h.published_at, h.created_at) END,
        'publishedBy', CASE h.status WHEN 'published' THEN coalesce(h.published_by, h.created_by) END,
        'authors', json_build_object('subject', ${authorOf(query, 'subject')}, 'html', ${authorOf(query, 'html')},
          'text', ${authorOf(query, 'text')})) ORDER BY h.version)
      FROM (
        SELECT version, status, created_at, created_by, note, published_at, published_by, authors,
          subject IS NOT NULL AS has_subject, html IS NOT NULL AS has_html, text IS NOT NULL AS has_text
        FROM template_versions
        WHERE account_id = t.account_id AND template_id = t.id
          ${draftsOf === null ? query`` : query`AND (status <> 'draft' OR created_by = ${draftsOf})`}
        ORDER BY version DESC LIMIT ${versionsShown}) AS h) AS versions`;
}

/** Of versions from before parts had authors, who made the version wrote every part. */
function authorOf(query: Query, part: 'subject' | 'html' | 'text') {
  return query`CASE WHEN h.${query(`has_${part}`)}
    THEN CASE WHEN h.authors IS NULL THEN h.created_by ELSE h.authors -> ${part}::text ->> 'author' END END`;
}
