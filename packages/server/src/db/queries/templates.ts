import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, getTableColumns, type SQL, sql } from '../drizzle.ts';
import { type PartAuthors, templates, templateVersions } from '../schema/templates.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

type Template = typeof templates.$inferSelect;
type Version = typeof templateVersions.$inferSelect;

/** Identifies a template by its id or its slug. */
export type TemplateName = { readonly id: string } | { readonly slug: string };

export type TemplateContent = Pick<Version, 'subject' | 'html' | 'text'>;

export interface NewTemplate extends Pick<Template, 'accountId' | 'id' | 'slug' | 'name'> {
  /** Whether its first version is a draft, so that it has no current one yet. */
  readonly isDraft: boolean;
  readonly now: Date;
}

const insert = defineStatement(
  {
    accountId: templates.accountId,
    id: templates.id,
    slug: templates.slug,
    name: templates.name,
    currentVersion: templates.currentVersion,
    now: templates.createdAt,
  },
  ({ now, ...template }) =>
    builder
      .insert(templates)
      .values({ ...template, lastVersion: 1, createdAt: now, updatedAt: now })
      .onConflictDoNothing({ target: [templates.accountId, templates.slug] })
      .returning(named({ id: templates.id })),
);

/** Adds a template without versions; false if the account has one with that slug. */
export async function insertTemplate(query: Query, { isDraft, ...template }: NewTemplate): Promise<boolean> {
  const rows = await insert(query, { ...template, currentVersion: isDraft ? null : 1 });
  return rows.length > 0;
}

const { publishedBy: _publishedBy, publishedAt: _publishedAt, ...added } = getTableColumns(templateVersions);

/** For drafts: `draftId` identifies it among the drafts, and `baseVersion` is the version that was current when it was written. */
export interface NewVersion extends Omit<Version, 'publishedBy' | 'publishedAt' | 'authors' | 'createdAt'> {
  readonly authors: PartAuthors;
  readonly now: Date;
}

const insertVersion = defineStatement({ ...added, variables: value<string>(), authors: value<string>() }, (version) =>
  builder.insert(templateVersions).values({
    ...version,
    variables: sql`${version.variables}::text::jsonb`,
    authors: sql`${version.authors}::text::jsonb`,
  }),
);

export async function insertTemplateVersion(
  query: Query,
  { variables, authors, now, ...version }: NewVersion,
): Promise<void> {
  const json = { variables: JSON.stringify(variables), authors: JSON.stringify(authors) };
  await insertVersion(query, { ...version, ...json, createdAt: now });
}

/** One statement for each way to identify a template; `define` receives the column. */
export function byName<Statement>(define: (column: typeof templates.id | typeof templates.slug) => Statement): {
  readonly id: Statement;
  readonly slug: Statement;
} {
  return { id: define(templates.id), slug: define(templates.slug) };
}

/** Which of these statements to use for a name, and the value of its `name` parameter. */
export function namingOf(name: TemplateName): readonly ['id' | 'slug', string] {
  return 'id' in name ? ['id', name.id] : ['slug', name.slug];
}

const NAMING = { accountId: templates.accountId, name: value<string>() };

const lock = byName((column) =>
  defineStatement(NAMING, ({ accountId, name }) =>
    builder
      .select(
        named({
          id: templates.id,
          slug: templates.slug,
          name: templates.name,
          currentVersion: templates.currentVersion,
          lastVersion: sql<number>`greatest(${templates.lastVersion}, ${templates.currentVersion})`,
        }),
      )
      .from(templates)
      .where(and(eq(templates.accountId, accountId), eq(column, name)))
      .for('update'),
  ),
);

/** `currentVersion` is null while it has only drafts; `lastVersion` is the highest version number ever used. */
export type LockedTemplate = RowOf<typeof lock.id>;

/** Locks a template until the transaction ends, so that changes to it are serialized; null if there is none. */
export async function lockTemplate(
  query: Query,
  accountId: string,
  name: TemplateName,
): Promise<LockedTemplate | null> {
  const [by, given] = namingOf(name);
  const [row] = await lock[by](query, { accountId, name: given });
  return row ?? null;
}

export interface TemplateChange extends Pick<LockedTemplate, 'currentVersion' | 'lastVersion'> {
  /** Null: unchanged. */
  readonly slug: string | null;
  readonly name: string | null;
  readonly now: Date;
}

const update = defineStatement(
  {
    accountId: templates.accountId,
    id: templates.id,
    slug: value<string | null>(),
    name: value<string | null>(),
    currentVersion: templates.currentVersion,
    lastVersion: templates.lastVersion,
    now: templates.updatedAt,
  },
  ({ accountId, id, slug, name, currentVersion, lastVersion, now }) =>
    builder
      .update(templates)
      .set({
        slug: sql`coalesce(${slug}, ${templates.slug})`,
        name: sql`coalesce(${name}, ${templates.name})`,
        currentVersion,
        lastVersion,
        updatedAt: now,
      })
      .where(and(eq(templates.accountId, accountId), eq(templates.id, id))),
);

/** Fails with a unique violation if another template of the account has the new slug. */
export async function updateTemplate(
  query: Query,
  accountId: string,
  id: string,
  change: TemplateChange,
): Promise<void> {
  await update(query, { accountId, id, ...change });
}

const remove = defineStatement({ accountId: templates.accountId, id: templates.id }, ({ accountId, id }) =>
  builder
    .delete(templates)
    .where(and(eq(templates.accountId, accountId), eq(templates.id, id)))
    .returning(named({ id: templates.id })),
);

/** Removes a template with its versions; false if it was already gone. */
export async function deleteTemplate(query: Query, accountId: string, id: string): Promise<boolean> {
  const rows = await remove(query, { accountId, id });
  return rows.length > 0;
}

const VERSION = named({
  version: templateVersions.version,
  status: templateVersions.status,
  subject: templateVersions.subject,
  html: templateVersions.html,
  text: templateVersions.text,
  variables: templateVersions.variables,
  authors: templateVersions.authors,
  createdBy: templateVersions.createdBy,
  createdAt: templateVersions.createdAt,
  note: templateVersions.note,
  baseVersion: templateVersions.baseVersion,
  toldAt: templateVersions.toldAt,
});

const readVersion = defineStatement(
  {
    accountId: templateVersions.accountId,
    templateId: templateVersions.templateId,
    version: templateVersions.version,
  },
  ({ accountId, templateId, version }) =>
    builder
      .select(VERSION)
      .from(templateVersions)
      .where(and(isOf(accountId, templateId), eq(templateVersions.version, version))),
);

/** One version, as the base of other versions. */
export type VersionRow = RowOf<typeof readVersion>;

/** Null if no version has that number. */
export async function readTemplateVersion(
  query: Query,
  accountId: string,
  templateId: string,
  version: number,
): Promise<VersionRow | null> {
  const [row] = await readVersion(query, { accountId, templateId, version });
  return row ?? null;
}

const readDrafts = defineStatement(
  { accountId: templateVersions.accountId, templateId: templateVersions.templateId },
  ({ accountId, templateId }) =>
    builder
      .select(VERSION)
      .from(templateVersions)
      .where(and(isOf(accountId, templateId), eq(templateVersions.status, sql`'draft'`)))
      .orderBy(templateVersions.version),
);

/** The drafts of a template, oldest first. */
export async function readDraftsOf(
  query: Query,
  accountId: string,
  templateId: string,
): Promise<readonly VersionRow[]> {
  return await readDrafts(query, { accountId, templateId });
}

function isOf(accountId: SQL<string>, templateId: SQL<string>) {
  return and(eq(templateVersions.accountId, accountId), eq(templateVersions.templateId, templateId));
}
