import type { Sql, Transaction } from '../db/client.ts';
import { readApproverRules } from '../db/queries/approver-rules.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import {
  type DraftRow,
  deleteDraft,
  deleteEmptyTemplate,
  publishVersion,
  readDraft,
} from '../db/queries/template-drafts.ts';
import {
  type LockedTemplate,
  lockTemplate,
  readDraftsOf,
  readTemplateVersion,
  type TemplateName,
  updateTemplate,
  type VersionRow,
} from '../db/queries/templates.ts';
import { isUuid } from '../uuid-v7.ts';
import { hashDraft } from './draft-hash.ts';
import { vouchForChanges } from './part-authors.ts';

/** The decision on a draft, and who makes it. */
export interface DraftDecision {
  readonly accountId: string;
  readonly actor: string;
  readonly name: TemplateName;
  /** Null for the template's only draft. */
  readonly version: number | null;
  /** The hash of what the decider was shown. Null accepts the draft as it is, if no version was published since it was written. */
  readonly contentHash: string | null;
  /** The way of the decision, for the audit log. */
  readonly way: string;
  readonly note: string | null;
  readonly nextId: () => string;
  readonly now: Date;
}

export type DraftVerdict =
  | { readonly kind: 'published'; readonly id: string; readonly version: number }
  | { readonly kind: 'discarded'; readonly draft: DraftRow }
  | DraftObstacle;

export type DraftObstacle =
  | { readonly kind: 'not_found' | 'no_draft' | 'own_draft' | 'not_yours' | 'already_published' | 'gone' | 'changed' }
  | { readonly kind: 'several'; readonly versions: readonly number[] }
  /** Several people must approve what the key of the author sends, so no one can publish its draft alone. */
  | { readonly kind: 'several_approvers'; readonly count: number }
  /** The key of the author names its approvers, and the decider is not one of them. */
  | { readonly kind: 'not_approver' }
  /** Another version was published after the draft was written. */
  | { readonly kind: 'outdated'; readonly currentVersion: number | null };

/** A draft as it would be published. */
export interface PublishedDraft {
  readonly id: string;
  readonly slug: string;
  readonly version: number;
  readonly contentHash: string;
}

/**
 * Makes a draft the current version. The template's lock serializes this with edits and other decisions.
 * @param findUnconfirmed what refuses to publish a draft of a key whose approvals need a passkey; null if a passkey has confirmed it
 */
export async function publishDraft<Refusal>(
  sql: Sql,
  decision: DraftDecision,
  findUnconfirmed: (draft: PublishedDraft) => Refusal | null,
): Promise<DraftVerdict | { readonly kind: 'unconfirmed'; readonly refusal: Refusal }> {
  return await sql.begin(async (transaction) => {
    const found = await findDraft(transaction, decision);
    if ('kind' in found) return found;
    const { template, draft } = found;
    const { accountId, actor, now } = decision;
    const { id, currentVersion } = template;
    if (draft.createdBy === actor) return { kind: 'own_draft' } as const;
    const obstacle = obstacleOf(template, draft, decision.contentHash);
    if (obstacle !== null) return obstacle;
    const { slug } = template;
    const contentHash = hashDraft({ ...draft, currentVersion });
    const refusal = findUnconfirmed({ id, slug, version: draft.version, contentHash });
    const authorIds = draft.createdBy !== null && isUuid(draft.createdBy) ? [draft.createdBy] : [];
    const rules = await readApproverRules(transaction, accountId, authorIds);
    if (rules.count > 1) return { kind: 'several_approvers', count: rules.count } as const;
    if (rules.memberIds?.includes(actor) === false) return { kind: 'not_approver' } as const;
    if (refusal !== null && rules.requirePasskey) return { kind: 'unconfirmed', refusal } as const;
    const current =
      currentVersion === null ? null : await readTemplateVersion(transaction, accountId, id, currentVersion);
    const authors = vouchForChanges(draft, current, actor);
    const { version } = draft;
    await publishVersion(transaction, accountId, id, { version, authors, publishedBy: actor, now });
    const { lastVersion } = template;
    await updateTemplate(transaction, accountId, id, {
      ...{ slug: null, name: null, currentVersion: version, lastVersion, now },
    });
    await audit(transaction, decision, 'template.published', id, { version, replaces: currentVersion });
    return { kind: 'published', id, version } as const;
  });
}

/**
 * Deletes a draft, because its author withdraws it or a decider rejects it. If it is the template's only version, the template is deleted
 * too.
 * @param mayDecide whether the actor may decide on drafts of others
 */
export async function discardDraft(sql: Sql, decision: DraftDecision, mayDecide: boolean): Promise<DraftVerdict> {
  return await sql.begin(async (transaction) => {
    const found = await findDraft(transaction, decision, mayDecide ? null : decision.actor);
    if ('kind' in found) return found;
    const { template, draft } = found;
    const { accountId } = decision;
    const { id } = template;
    if (draft.createdBy !== decision.actor && !mayDecide) return { kind: 'not_yours' } as const;
    const shown = await readDraft(transaction, accountId, id, draft.version);
    if (shown === null) throw new Error('a locked draft cannot be read');
    if (decision.contentHash !== null && hashDraft(shown) !== decision.contentHash) return { kind: 'changed' } as const;
    await deleteDraft(transaction, accountId, id, draft.version);
    await deleteEmptyTemplate(transaction, accountId, id);
    await audit(transaction, decision, 'template.discarded', id, { version: draft.version });
    return { kind: 'discarded', draft: shown } as const;
  });
}

/** @param author if no version is named, only this key's drafts count; null for the drafts of all keys */
async function findDraft(
  transaction: Transaction,
  { accountId, name, version }: DraftDecision,
  author: string | null = null,
): Promise<{ readonly template: LockedTemplate; readonly draft: VersionRow } | DraftObstacle> {
  const template = await lockTemplate(transaction, accountId, name);
  if (template === null) return { kind: 'not_found' };
  const drafts = await readDraftsOf(transaction, accountId, template.id);
  if (version !== null) {
    const draft = drafts.find((other) => other.version === version);
    if (draft !== undefined) return { template, draft };
    if (version > template.lastVersion) return { kind: 'not_found' };
    const other = await readTemplateVersion(transaction, accountId, template.id, version);
    return { kind: other === null ? 'gone' : 'already_published' };
  }
  const [draft, ...others] = drafts.filter(({ createdBy }) => author === null || createdBy === author);
  if (draft === undefined) return { kind: 'no_draft' };
  if (others.length > 0) return { kind: 'several', versions: [draft, ...others].map((one) => one.version) };
  return { template, draft };
}

/** A draft can be published only as it was shown. Without a hash, no version may have been published since it was written. */
function obstacleOf(
  { currentVersion }: LockedTemplate,
  draft: VersionRow,
  contentHash: string | null,
): DraftObstacle | null {
  if (contentHash !== null) return hashDraft({ ...draft, currentVersion }) === contentHash ? null : { kind: 'changed' };
  return draft.baseVersion === currentVersion ? null : { kind: 'outdated', currentVersion };
}

async function audit(
  transaction: Transaction,
  { accountId, actor, way, note, nextId, now }: DraftDecision,
  action: 'template.published' | 'template.discarded',
  targetId: string,
  given: Readonly<Record<string, number | null>>,
): Promise<void> {
  const details = { ...given, way, ...(note === null ? {} : { note }) };
  await appendAudit(transaction, [{ accountId, id: nextId(), action, actor, targetId, details, now }]);
}
