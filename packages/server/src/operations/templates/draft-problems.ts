import { LIMITS, nameOperation } from '@postrider/core';
import type { Caller } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import type { DraftObstacle } from '../../templates/decide-draft.ts';
import type { VersionMaker } from '../../templates/template-edit.ts';
import type { KeyedContext } from '../context.ts';
import { invalidField } from './template-problems.ts';
import { templateNotFound } from './template-record.ts';

/** A caller with too many drafts may retry after a minute. */
const RETRY_AFTER_SECONDS = 60;

/** The author of a version. A key in approval mode, a test key and a paused key create drafts. */
export function makerOf({ caller, services: { database } }: KeyedContext, now: Date): VersionMaker {
  const { accountId, keyId: createdBy } = caller;
  return { accountId, createdBy, isDrafting: isRestricted(caller), nextId: () => database.ids.next(now), now };
}

/** Whether what the caller writes needs approval. Such a caller may not decide either. */
export function isRestricted({ user, approval, mode, pausedBy }: Caller): boolean {
  return user === null && (approval !== null || mode === 'test' || pausedBy !== null);
}

export function tooManyDrafts(): ProblemError {
  return new ProblemError('too_many_held', {
    detail: `${LIMITS.draftsPerKey} template drafts of this key wait for an approver. Nothing was stored.`,
    fix: `Ask an approver to publish or discard them, or discard drafts of this key with ${nameOperation('templates.discard')}.`,
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}

/** A name and a slug take effect at once for all senders, unlike a draft. */
export function renamedByDraft(): ProblemError {
  return new ProblemError('permission_escalation', {
    detail:
      'This key can only write drafts, and a change of `slug` or `name` takes effect immediately. Nothing was stored.',
    fix: 'Leave out `slug` and `name`, or ask an owner or admin to change them.',
  });
}

/** The base of a change is neither the current version nor the caller's own draft. */
export function outdatedBase(version: number | null): ProblemError {
  return new ProblemError('approval_changed', {
    detail:
      version === null
        ? '`baseVersion` is neither the current version nor your own pending draft. Nothing was stored.'
        : `The template has changed: \`baseVersion\` must be ${version}, or the version of your own pending draft. Nothing was stored.`,
    fix: `Read the template again with ${nameOperation('templates.get')}, apply your change to the version that it returns, and pass that \`version\` as \`baseVersion\`.`,
  });
}

/** The problem to return if a draft was neither published nor discarded. */
export function toDraftProblem(obstacle: DraftObstacle, given: string, version: number | null): ProblemError {
  switch (obstacle.kind) {
    case 'not_found':
      return templateNotFound(given, version);
    case 'no_draft':
      return new ProblemError('not_found', { detail: `The template ${given} has no draft to decide.` });
    case 'several':
      return invalidField('version', 'required', `names one of the drafts ${obstacle.versions.join(', ')}`);
    case 'own_draft':
      return new ProblemError('self_approval_forbidden', {
        detail: 'This key wrote the draft, so it cannot publish it.',
      });
    case 'not_yours':
      return new ProblemError('missing_scope', {
        detail: 'Another caller wrote this draft. To discard it, a key needs the scope `approvals:decide`.',
      });
    case 'several_approvers':
      return new ProblemError('permission_escalation', {
        detail: `${obstacle.count} people must approve what the author of this draft sends, so no one can publish it alone.`,
        fix: `Ask a user who may write templates to make the change as their own, with ${nameOperation('templates.update')}, and discard the draft.`,
      });
    case 'not_approver':
      return new ProblemError('permission_escalation', {
        detail: 'The key that wrote this draft names its approvers, and the caller is not one of them.',
        fix: 'Ask one of them to publish it. The key names them in `approvers.memberIds`.',
      });
    case 'already_published':
      return new ProblemError('approval_already_decided', { detail: `Version ${version} is published.` });
    case 'gone':
      return new ProblemError('approval_changed', {
        detail: `Version ${version} is no longer a draft: it was discarded, or its author replaced it with a later draft.`,
        fix: `List the drafts again with ${nameOperation('templates.drafts')}.`,
      });
    case 'changed':
      return new ProblemError('approval_changed', {
        detail: '`contentHash` does not match the draft and the current version.',
        fix: 'Read the draft again, then decide on its current difference.',
      });
    case 'outdated':
      return new ProblemError('approval_changed', {
        detail: `Version ${obstacle.currentVersion} was published after this draft was written, and publishing the draft would replace it.`,
        fix: 'Read the difference from the current version, and pass the `contentHash` shown with it.',
      });
  }
}
