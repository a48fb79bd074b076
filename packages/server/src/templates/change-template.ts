import type { Sql, Transaction } from '../db/client.ts';
import { isUniqueViolation } from '../db/database-errors.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import {
  insertTemplate,
  insertTemplateVersion,
  type LockedTemplate,
  lockTemplate,
  readTemplateVersion,
  type TemplateName,
  updateTemplate,
} from '../db/queries/templates.ts';
import { draftLocked, hasRoomForDraft, writesDrafts } from './draft-template.ts';
import { findOutdatedBase } from './edit-base.ts';
import { carryAuthors } from './part-authors.ts';
import type { EditVerdict, FirstVersion, TemplateEdit, VersionMaker } from './template-edit.ts';
import { NO_CONTENT, replaceParts } from './template-version-content.ts';

/** Stores a template as version 1. */
export async function storeTemplate(
  sql: Sql,
  maker: VersionMaker,
  template: FirstVersion,
): Promise<'stored' | 'slug_taken' | 'too_many_drafts'> {
  return await sql.begin(async (transaction) => {
    const { accountId, createdBy: actor, now } = maker;
    const { id: templateId, slug, name } = template;
    const isDraft = await writesDrafts(transaction, maker);
    if (isDraft && !(await hasRoomForDraft(transaction, maker))) return 'too_many_drafts';
    if (!(await insertTemplate(transaction, { ...maker, ...template, isDraft }))) return 'slug_taken';
    await insertTemplateVersion(transaction, {
      ...{ ...maker, ...template, templateId, version: 1, baseVersion: null, toldAt: null },
      status: isDraft ? 'draft' : 'published',
      draftId: isDraft ? maker.nextId() : null,
      authors: carryAuthors(null, template, actor),
    });
    const action = isDraft ? 'template.drafted' : 'template.created';
    const details = { version: 1, slug, name };
    await appendAudit(transaction, [
      { accountId, id: maker.nextId(), action, actor, targetId: templateId, details, now },
    ]);
    return 'stored';
  });
}

/**
 * Changes a template. The template is locked while the new version is made from the current one, so that concurrent changes build on each
 * other and get separate numbers.
 */
export async function changeTemplate(
  sql: Sql,
  maker: VersionMaker,
  name: TemplateName,
  edit: TemplateEdit,
): Promise<EditVerdict> {
  try {
    return await sql.begin((transaction) => changeLocked(transaction, maker, name, edit));
  } catch (error) {
    // Only the slug's unique constraint can fail here.
    if (edit.slug !== null && isUniqueViolation(error)) return { kind: 'slug_taken' };
    throw error;
  }
}

async function changeLocked(
  transaction: Transaction,
  maker: VersionMaker,
  name: TemplateName,
  edit: TemplateEdit,
): Promise<EditVerdict> {
  const { accountId, createdBy, now } = maker;
  const template = await lockTemplate(transaction, accountId, name);
  if (template === null) return { kind: 'not_found' };
  const outdated = await findOutdatedBase(transaction, maker, template, edit);
  if (outdated !== null) return outdated;
  if (await writesDrafts(transaction, maker)) return await draftLocked(transaction, maker, template, edit);
  const { id, currentVersion } = template;
  const makesVersion = edit.rollbackTo !== null || Object.keys(edit.content).length > 0;
  const version = makesVersion ? template.lastVersion + 1 : currentVersion;
  if (makesVersion) {
    const from = edit.rollbackTo ?? currentVersion;
    const base = from === null ? null : await readTemplateVersion(transaction, accountId, id, from);
    if (base === null && from !== null) return { kind: 'version_not_found' };
    // A rollback to a draft would publish content that no one has reviewed.
    if (base?.status === 'draft') return { kind: 'version_is_draft' };
    const next = replaceParts(base ?? NO_CONTENT, edit.content, edit.variables);
    if (!next.html && !next.text) return { kind: 'without_body' };
    await insertTemplateVersion(transaction, {
      ...{ ...maker, ...next, templateId: id, version: template.lastVersion + 1, note: edit.note },
      ...{ status: 'published', draftId: null, baseVersion: null, toldAt: null },
      authors: carryAuthors(base, next, createdBy),
    });
  }
  const { slug, name: title } = edit;
  const lastVersion = Math.max(template.lastVersion, version ?? 0);
  await updateTemplate(transaction, accountId, id, { slug, name: title, currentVersion: version, lastVersion, now });
  await auditChange(transaction, maker, template, edit, makesVersion ? version : null);
  return { kind: 'changed', id, version };
}

/** @param version the new one; null if the template was only renamed, or nothing changed. */
async function auditChange(
  transaction: Transaction,
  { accountId, createdBy: actor, nextId, now }: VersionMaker,
  template: LockedTemplate,
  edit: TemplateEdit,
  version: number | null,
): Promise<void> {
  const { id: targetId } = template;
  const slug = edit.slug ?? template.slug;
  const name = edit.name ?? template.name;
  if (version === null && slug === template.slug && name === template.name) return;
  const details = {
    ...{ slug, name },
    ...(slug === template.slug ? {} : { formerSlug: template.slug }),
    ...(name === template.name ? {} : { formerName: template.name }),
    ...(version === null ? {} : { version }),
    ...(edit.rollbackTo === null ? {} : { rollbackTo: edit.rollbackTo }),
  };
  await appendAudit(transaction, [
    { accountId, id: nextId(), action: 'template.updated', actor, targetId, details, now },
  ]);
}
