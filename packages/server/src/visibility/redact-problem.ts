import { maySee, type Viewer } from '@postrider/core';
import type { MessageOwner } from './redact-message.ts';

/** What a refused send reports about its recipients. */
export interface RecipientProblem {
  readonly detail: string;
  readonly recipients?: readonly { readonly email: string; readonly kind: string }[] | undefined;
}

const UNNAMED = 'A recipient of this message cannot be written to, and this key may not see which one.';

/** Why a message was refused, without the blind recipients of another key's message. */
export function redactProblem<Problem extends RecipientProblem>(
  problem: Problem,
  owner: MessageOwner,
  viewer: Viewer,
): Problem {
  if (maySee(viewer, 'message.private', owner.keyId)) return problem;
  const { recipients, detail } = problem;
  const isNamed = owner.blind.some((address) => detail.toLowerCase().includes(address.toLowerCase()));
  return {
    ...problem,
    ...(isNamed ? { detail: UNNAMED } : {}),
    ...(recipients === undefined ? {} : { recipients: recipients.filter(({ kind }) => kind !== 'bcc') }),
  };
}
