import type { FieldProblem, NewKeyInput, Scope } from '@postrider/core';
import type { Caller } from '../keys/caller.ts';
import { continueClientKey, type KeyRefusal, type KeyTools, makeKey } from '../keys/manage-keys.ts';
import type { AccessRequest } from './access-request.ts';
import type { SignInRef } from './sign-in-ref.ts';

/** What the user chose: another access with its own limits, or that the program continues with one that it has. */
export type AccessChoice =
  | { readonly kind: 'another'; readonly input: NewKeyInput }
  | { readonly kind: 'continue'; readonly keyId: string; readonly added: readonly Scope[] };

export type GrantVerdict =
  | { readonly kind: 'granted'; readonly signIn: SignInRef }
  | { readonly kind: 'refused'; readonly refusal: Exclude<KeyRefusal, { readonly kind: 'invalid' }> }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] };

/** Grants a program access by a key. The rules are those of every key that a user creates or changes. */
export async function grantAccess(
  tools: KeyTools,
  caller: Caller,
  { clientId, clientName }: AccessRequest,
  choice: AccessChoice,
): Promise<GrantVerdict> {
  const { accountId } = caller;
  if (choice.kind === 'another') {
    const made = await makeKey(tools, caller.row, choice.input, { id: clientId, name: clientName });
    if (made.kind !== 'done') return refused(made);
    return { kind: 'granted', signIn: { accountId, keyId: made.row.keyId, signIn: made.row.signIn } };
  }
  const continued = await continueClientKey(tools, caller.row, choice.keyId, choice.added);
  if (continued.kind !== 'done') return refused(continued);
  return { kind: 'granted', signIn: { accountId, keyId: choice.keyId, signIn: continued.signIn } };
}

function refused(refusal: KeyRefusal): GrantVerdict {
  return refusal.kind === 'invalid' ? { kind: 'invalid', problems: refusal.problems } : { kind: 'refused', refusal };
}
