import type { OperationById, OperationInput } from '@postrider/core';
import type { DraftDecision } from '../../templates/decide-draft.ts';
import { toTemplateName } from '../../templates/template-reference.ts';
import type { KeyedContext } from '../context.ts';

/** A caller's decision about a draft. */
export function draftDecisionOf(
  given: string,
  { version, contentHash, note }: OperationInput<OperationById<'templates.publish'>>['body'],
  { caller, services: { database }, via }: KeyedContext,
): DraftDecision {
  const now = database.clock.now();
  return {
    ...{ accountId: caller.accountId, actor: caller.keyId, way: via, name: toTemplateName(given) },
    ...{ version: version ?? null, contentHash: contentHash ?? null, note: note ?? null },
    ...{ nextId: () => database.ids.next(now), now },
  };
}
