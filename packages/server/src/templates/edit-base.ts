import type { Transaction } from '../db/client.ts';
import { readTemplateSource } from '../db/queries/template-records.ts';
import { type LockedTemplate, readDraftsOf } from '../db/queries/templates.ts';
import type { EditVerdict, TemplateEdit, VersionMaker } from './template-edit.ts';

/**
 * Rejects a change whose base is no longer the current version. The template must be locked, so that the result is still true when the
 * change is stored. A key may also base a change on its own draft, which the change replaces.
 */
export async function findOutdatedBase(
  transaction: Transaction,
  { accountId, createdBy }: VersionMaker,
  { id, currentVersion }: LockedTemplate,
  { base }: TemplateEdit,
): Promise<EditVerdict | null> {
  if (base === null || base.version === currentVersion) return null;
  const shown = await readTemplateSource(transaction, accountId, { id }, { version: null, draftsOf: base.draftsOf });
  if (shown?.version === base.version) return null;
  const drafts = await readDraftsOf(transaction, accountId, id);
  const isOwnDraft = drafts.some((draft) => draft.version === base.version && draft.createdBy === createdBy);
  return isOwnDraft ? null : { kind: 'outdated', version: shown?.version ?? null };
}
