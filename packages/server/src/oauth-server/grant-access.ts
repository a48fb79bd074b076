import type { FieldProblem, NewKeyInput } from '@postrider/core';
import { deleteAccessTokensOf } from '../db/queries/access-tokens.ts';
import { deleteOAuthRecordsOf } from '../db/queries/oauth-records.ts';
import type { Caller } from '../keys/caller.ts';
import { changeKey, type KeyRefusal, type KeyTools, makeKey } from '../keys/manage-keys.ts';
import type { AccessRequest } from './access-request.ts';
import type { GrantName } from './grant-name.ts';

export type GrantVerdict =
  | { readonly kind: 'granted'; readonly grant: GrantName }
  | { readonly kind: 'refused'; readonly refusal: Exclude<KeyRefusal, { readonly kind: 'invalid' }> }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] };

/**
 * Grants a program access: stores the key that it uses, or changes the key of a former grant, whose tokens then end. The rules are those of
 * every key that a user creates or changes.
 * @param replaced the key of a former grant of this user to this program
 */
export async function grantAccess(
  tools: KeyTools,
  caller: Caller,
  request: AccessRequest,
  input: NewKeyInput,
  replaced: string | null,
): Promise<GrantVerdict> {
  const { accountId } = caller;
  if (replaced === null) {
    const client = { id: request.clientId, name: request.clientName };
    const made = await makeKey(tools, caller.row, input, client);
    return made.kind === 'done' ? granted({ accountId, keyId: made.row.keyId }) : refused(made);
  }
  const { mode: _mode, name: _name, ...changes } = input;
  const changed = await changeKey(tools, caller.row, replaced, {
    ...changes,
    // What the request leaves out has no restriction any more.
    recipientAllowlist: changes.recipientAllowlist ?? null,
  });
  if (changed.kind !== 'done') return refused(changed);
  await deleteAccessTokensOf(tools.sql, replaced);
  await deleteOAuthRecordsOf(tools.sql, replaced);
  return granted({ accountId, keyId: replaced });
}

function granted(grant: GrantName): GrantVerdict {
  return { kind: 'granted', grant };
}

function refused(refusal: KeyRefusal): GrantVerdict {
  return refusal.kind === 'invalid' ? { kind: 'invalid', problems: refusal.problems } : { kind: 'refused', refusal };
}
