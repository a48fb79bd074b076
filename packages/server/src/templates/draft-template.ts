import { LIMITS } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import { countDrafts, deleteDraft, lockWriter, setLastVersion } from '../db/queries/template-drafts.ts';
import {
  insertTemplateVersion,
  type LockedTemplate,
  readDraftsOf,
  readTemplateVersion,
  type VersionRow,
} from '../db/queries/templates.ts';
import { carryAuthors } from './part-authors.ts';
import type { EditVerdict, TemplateEdit, VersionMaker } from './template-edit.ts';
import { changedParts, NO_CONTENT, replaceParts, type VersionContent } from './template-version-content.ts';

/**
 * Whether a caller's changes become drafts. This also reads the key's present state, so that a key put into approval mode while its request
 * was running already writes drafts.
 */
export async function writesDrafts(transaction: Query, maker: VersionMaker): Promise<boolean> {
  const state = await lockWriter(transaction, maker.accountId, maker.createdBy);
  return maker.isDrafting || state?.isHeld === true || state?.isTest === true || state?.isPaused === true;
}

/** Whether the key may have another draft. */
export async function hasRoomForDraft(transaction: Query, { accountId, createdBy }: VersionMaker): Promise<boolean> {
  const filters = { accountId, keyId: createdBy };
  return (await countDrafts(transaction, { ...filters, cap: LIMITS.draftsPerKey })) < LIMITS.draftsPerKey;
}

/**
 * Stores a change as a draft; the template must be locked. A key has at most one draft per template: its next change replaces that draft,
 * and combines its changes with the current version.
 */
export async function draftLocked(
  transaction: Query,
  maker: VersionMaker,
  template: LockedTemplate,
  edit: TemplateEdit,
): Promise<EditVerdict> {
  const { accountId, createdBy, now } = maker;
  const { id, currentVersion } = template;
  const isRenamed = (given: string | null, present: string) => given !== null && given !== present;
  if (isRenamed(edit.slug, template.slug) || isRenamed(edit.name, template.name)) return { kind: 'renamed_by_draft' };
  const own = (await readDraftsOf(transaction, accountId, id)).find((draft) => draft.createdBy === createdBy) ?? null;
  const makesVersion = edit.rollbackTo !== null || Object.keys(edit.content).length > 0;
  if (!makesVersion) return { kind: 'changed', id, version: currentVersion };
  if (own === null && !(await hasRoomForDraft(transaction, maker))) return { kind: 'too_many_drafts' };
  const read = async (version: number | null) =>
    version === null ? null : await readTemplateVersion(transaction, accountId, id, version);
  const current = await read(currentVersion);
  const restored = await read(edit.rollbackTo);
  if (edit.rollbackTo !== null && restored === null) return { kind: 'version_not_found' };
  if (restored?.status === 'draft') return { kind: 'version_is_draft' };
  const base = restored ?? (own === null ? (current ?? NO_CONTENT) : rebase(own, await read(own.baseVersion), current));
  const next = replaceParts(base, edit.content, edit.variables);
  if (!next.html && !next.text) return { kind: 'without_body' };
  const version = template.lastVersion + 1;
  if (own !== null) await deleteDraft(transaction, accountId, id, own.version);
  await insertTemplateVersion(transaction, {
    ...{ ...maker, ...next, templateId: id, version, note: edit.note, status: 'draft', baseVersion: currentVersion },
    draftId: maker.nextId(),
    authors: carryAuthors(restored ?? current, next, createdBy),
    // The approvers already know about this key's draft, so they are not mailed about each change.
    toldAt: own?.toldAt ?? null,
  });
  await setLastVersion(transaction, accountId, id, version);
  const details = { version, ...(own === null ? {} : { replaces: own.version }) };
  await appendAudit(transaction, [
    { accountId, id: maker.nextId(), action: 'template.drafted', actor: createdBy, targetId: id, details, now },
  ]);
  return { kind: 'changed', id, version };
}

/** Applies the changes of a draft to the current version. */
function rebase(own: VersionRow, base: VersionRow | null, current: VersionRow | null): VersionContent {
  return replaceParts(current ?? NO_CONTENT, changedParts(base ?? NO_CONTENT, own), own.variables);
}
