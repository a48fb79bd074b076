import { check, foreignKey, index, integer, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { accounts } from './accounts.ts';
import { jsonb, timestamptz } from './column-types.ts';

export type VersionStatus = 'draft' | 'published';

/** The variables of each part; JSON as it was written. */
export type VariablesJson = Readonly<Record<string, readonly { readonly name: string; readonly required: boolean }[]>>;

/** Who wrote a part, and who vouches for it: the author, or the user who published the author's draft. Null: unknown. */
export interface PartAuthor {
  readonly author: string | null;
  readonly vouchedBy: string | null;
}

/** The authors of the parts of a version; JSON as it was written. */
export type PartAuthors = { readonly [Part in 'subject' | 'html' | 'text']?: PartAuthor };

export const templates = pgTable(
  'templates',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    slug: text('slug').notNull(),
    name: text('name').notNull(),
    currentVersion: integer('current_version'),
    createdAt: timestamptz('created_at').notNull(),
    updatedAt: timestamptz('updated_at').notNull(),
    lastVersion: integer('last_version'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    uniqueIndex('templates_slug').on(t.accountId, t.slug),
    check('templates_current_version_check', sql`${t.currentVersion} >= 1`),
    ...accountWall(t.accountId),
  ],
);

export const templateVersions = pgTable(
  'template_versions',
  {
    accountId: uuid('account_id').notNull(),
    templateId: uuid('template_id').notNull(),
    version: integer('version').notNull(),
    subject: text('subject'),
    html: text('html'),
    text: text('text'),
    variables: jsonb<VariablesJson>('variables').notNull(),
    note: text('note'),
    createdBy: text('created_by'),
    createdAt: timestamptz('created_at').notNull(),
    status: text('status').$type<VersionStatus>().notNull().default('published'),
    authors: jsonb<PartAuthors>('authors'),
    draftId: uuid('draft_id'),
    baseVersion: integer('base_version'),
    publishedBy: text('published_by'),
    publishedAt: timestamptz('published_at'),
    toldAt: timestamptz('told_at'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.templateId, t.version] }),
    foreignKey({ columns: [t.accountId, t.templateId], foreignColumns: [templates.accountId, templates.id] }).onDelete(
      'cascade',
    ),
    index('template_draft_ids').on(t.accountId, t.draftId).where(sql`${t.status} = 'draft'`),
    index('template_drafts').on(t.accountId, t.createdBy).where(sql`${t.status} = 'draft'`),
    index('template_drafts_untold').on(t.createdAt).where(sql`${t.status} = 'draft' AND ${t.toldAt} IS NULL`),
    check('template_versions_status_check', sql`${t.status} IN ('draft', 'published')`),
    check('template_versions_version_check', sql`${t.version} >= 1`),
    ...accountWall(t.accountId),
  ],
);
