import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { narrowed, pg, returning } from '../result.ts';
import { templates, templateVersions } from '../schema/templates.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';
import { byName, namingOf, type TemplateName } from './templates.ts';

export interface VersionChoice {
  /** Null: the current one. */
  readonly version: number | null;
  /** Only drafts of this author are visible; null: all drafts. */
  readonly draftsOf: string | null;
}

const NAMING = { accountId: templates.accountId, name: value<string>() };
const CHOICE = { version: value<number | null>(), draftsOf: optional(value<string>()) };

/** Without `LIMIT 1`, a plan that was made while the tables were empty reads the versions of all templates of the account. */
const readSource = byName((column) =>
  defineStatement(
    { ...NAMING, ...CHOICE },
    ({ accountId, name, version, draftsOf }) =>
      returning(
        {
          id: templates.id,
          slug: templates.slug,
          name: templates.name,
          version: templateVersions.version,
          status: templateVersions.status,
          subject: templateVersions.subject,
          html: templateVersions.html,
          text: templateVersions.text,
          createdBy: templateVersions.createdBy,
          authors: templateVersions.authors,
        },
        sql`
          SELECT t.id, t.slug, t.name, v.version, v.status, v.subject, v.html, v.text, v.created_by AS "createdBy", v.authors
          FROM templates t
          CROSS JOIN LATERAL (
            SELECT * FROM template_versions v
            WHERE v.account_id = t.account_id AND v.template_id = t.id
              AND v.version = coalesce(${version}::int, ${shownVersion(draftsOf)}) ${isShown(draftsOf)}
            LIMIT 1) v
          WHERE t.account_id = ${accountId} AND t.${sql.identifier(column.name)} = ${name}`,
      ),
    { keepsPlan: true },
  ),
);

/**
 * A draft is rendered only as a preview. `createdBy` is the id of the key or the user that created this version; `authors` is null on
 * versions from before parts had authors.
 */
export type MadeTemplateSource = RowOf<typeof readSource.id>;

/** One version of a template, as a send needs it. */
export type TemplateSourceRow = Omit<MadeTemplateSource, 'createdBy' | 'authors'>;

/**
 * A template's content in one version. If `version` is null: the current version, or the newest draft of a template without a current one,
 * as its status shows. Null if there is no such template or version, or if it is not visible to the caller.
 */
export async function readTemplateSource(
  query: Query,
  accountId: string,
  name: TemplateName,
  choice: VersionChoice,
): Promise<MadeTemplateSource | null> {
  const [by, given] = namingOf(name);
  const [row] = await readSource[by](query, { accountId, name: given, ...choice });
  return row ?? null;
}

/** One version in the history of a template; times are formatted as in JSON. */
interface HistoryEntry
  extends Pick<typeof templateVersions.$inferSelect, 'version' | 'status' | 'createdBy' | 'publishedBy' | 'note'> {
  readonly createdAt: string;
  readonly publishedAt: string | null;
  readonly authors: Readonly<Record<'subject' | 'html' | 'text', string | null>>;
}

const RECORD = {
  id: templates.id,
  slug: templates.slug,
  name: templates.name,
  currentVersion: templates.currentVersion,
  createdAt: templates.createdAt,
  updatedAt: templates.updatedAt,
  version: templateVersions.version,
  status: templateVersions.status,
  subject: templateVersions.subject,
  html: templateVersions.html,
  text: templateVersions.text,
  variables: templateVersions.variables,
  versions: narrowed<readonly HistoryEntry[]>(pg.json),
};

/** `versionsShown`: the maximum number of versions in the history. */
const SHOWN = { versionsShown: value<number>(), draftsOf: optional(value<string>()) };

export interface ReadOptions extends VersionChoice {
  readonly versionsShown: number;
}

const read = byName((column) =>
  defineStatement({ ...NAMING, ...CHOICE, ...SHOWN }, ({ accountId, name, version, ...shown }) =>
    returning(
      RECORD,
      sql`
        SELECT ${columns(shown)}
        FROM templates t
        JOIN template_versions v ON v.account_id = t.account_id AND v.template_id = t.id
          AND v.version = coalesce(${version}::int, ${shownVersion(shown.draftsOf)}) ${isShown(shown.draftsOf)}
        WHERE t.account_id = ${accountId} AND t.${sql.identifier(column.name)} = ${name}`,
    ),
  ),
);

/** A template with one version's content and its history; `currentVersion` is null while it has only drafts. */
export type TemplateRow = RowOf<typeof read.id>;

/** Null if there is no such template or version. */
export async function readTemplate(
  query: Query,
  accountId: string,
  name: TemplateName,
  options: ReadOptions,
): Promise<TemplateRow | null> {
  const [by, given] = namingOf(name);
  const [row] = await read[by](query, { accountId, name: given, ...options });
  return row ?? null;
}

/**
 * One page of templates with a visible version (`draftsOf` as in `VersionChoice`), newest first, below the id `before`. A page ends after
 * the template with which its bodies reach `bodyBytes`; `more` is the number of templates from a row onward, including that row.
 */
export const listTemplates = defineStatement(
  {
    ...SHOWN,
    accountId: templates.accountId,
    before: optional(templates.id),
    limit: value<number>(),
    bodyBytes: value<number>(),
  },
  ({ accountId, before, limit, bodyBytes, ...shown }) =>
    returning(
      { ...RECORD, more: pg.int4 },
      sql`
        WITH page AS (
          SELECT t.*, count(*) OVER () - row_number() OVER (ORDER BY t.id DESC) + 1 AS more,
            coalesce(sum(coalesce(octet_length(v.html), 0) + coalesce(octet_length(v.text), 0))
              OVER (ORDER BY t.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before_bytes
          FROM templates t
          JOIN template_versions v ON v.account_id = t.account_id AND v.template_id = t.id
            AND v.version = ${shownVersion(shown.draftsOf)}
          WHERE t.account_id = ${accountId} ${before && sql`AND t.id < ${before}`}
          ORDER BY t.id DESC
          LIMIT ${limit}
        )
        SELECT ${columns(shown)}, t.more::int AS more
        FROM page t
        JOIN template_versions v ON v.account_id = t.account_id AND v.template_id = t.id
          AND v.version = ${shownVersion(shown.draftsOf)}
        WHERE t.before_bytes < ${bodyBytes}
        ORDER BY t.id DESC`,
    ),
);

/** Counts templates, but never past `cap`. */
export const countTemplates = asCount(
  defineStatement(
    { accountId: templates.accountId, draftsOf: optional(value<string>()), cap: value<number>() },
    ({ accountId, draftsOf, cap }) =>
      countUpTo(
        cap,
        sql`SELECT FROM templates t WHERE t.account_id = ${accountId} AND ${shownVersion(draftsOf)} IS NOT NULL`,
      ),
  ),
);

type Drafts = GivenOf<typeof SHOWN>['draftsOf'];

/** The current version, or the newest visible draft of a template that has only drafts. */
function shownVersion(draftsOf: Drafts) {
  return sql`coalesce(t.current_version, (SELECT max(d.version) FROM template_versions d
    WHERE d.account_id = t.account_id AND d.template_id = t.id ${draftsOf && sql`AND d.created_by = ${draftsOf}`}))`;
}

function isShown(draftsOf: Drafts) {
  return draftsOf && sql`AND (v.status <> 'draft' OR v.created_by = ${draftsOf})`;
}

function columns({ versionsShown, draftsOf }: GivenOf<typeof SHOWN>) {
  return sql`
    t.id, t.slug, t.name, t.current_version AS "currentVersion", t.created_at AS "createdAt", t.updated_at AS "updatedAt",
    v.version, v.status, v.subject, v.html, v.text, v.variables,
    (SELECT json_agg(json_build_object(
        'version', h.version, 'status', h.status, 'createdAt', h.created_at, 'createdBy', h.created_by, 'note', h.note,
        'publishedAt', CASE h.status WHEN 'published' THEN coalesce(h.published_at, h.created_at) END,
        'publishedBy', CASE h.status WHEN 'published' THEN coalesce(h.published_by, h.created_by) END,
        'authors', json_build_object('subject', ${authorOf('subject')}, 'html', ${authorOf('html')}, 'text', ${authorOf('text')}))
        ORDER BY h.version)
      FROM (
        SELECT version, status, created_at, created_by, note, published_at, published_by, authors,
          subject IS NOT NULL AS has_subject, html IS NOT NULL AS has_html, text IS NOT NULL AS has_text
        FROM template_versions
        WHERE account_id = t.account_id AND template_id = t.id
          ${draftsOf && sql`AND (status <> 'draft' OR created_by = ${draftsOf})`}
        ORDER BY version DESC LIMIT ${versionsShown}) AS h) AS versions`;
}

/** In versions from before parts had authors, the author of the version wrote every part. */
function authorOf(part: 'subject' | 'html' | 'text') {
  return sql.raw(`CASE WHEN h.has_${part}
    THEN CASE WHEN h.authors IS NULL THEN h.created_by ELSE h.authors -> '${part}' ->> 'author' END END`);
}
