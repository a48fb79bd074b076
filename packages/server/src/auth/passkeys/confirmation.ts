import { LIMITS } from '@postrider/core';
import { type ProblemDetails, ProblemError } from '../../problem.ts';
import type { Assertion } from './credential-schemas.ts';
import type { PasskeyTools } from './passkey-tools.ts';
import type { Statement } from './statement.ts';
import { verifyAssertion } from './verify-assertion.ts';

/** What a page sends after its user has confirmed something with a passkey. */
export interface Confirmation {
  readonly assertion: Assertion;
  /** The sealed challenge, with what was confirmed. */
  readonly sealed: string;
}

/** Something that a user has confirmed with a passkey. */
export interface Confirmed {
  /** As JSON. */
  readonly statement: string;
  readonly nonce: string;
  readonly userId: string;
  readonly passkey: { readonly id: string; readonly publicKey: Uint8Array };
  /** The host name that the passkey is bound to. */
  readonly rpId: string;
  readonly assertion: Assertion;
}

/**
 * Verifies a confirmation of a user. Its challenge is used up in any case.
 * @throws ProblemError if it proves nothing
 */
export async function readConfirmation(
  tools: PasskeyTools,
  userId: string,
  { assertion, sealed }: Confirmation,
): Promise<Confirmed> {
  const verdict = await verifyAssertion(tools, { assertion, sealed, purpose: 'confirm', userId });
  if (verdict.kind === 'unchallenged') throw new ProblemError('permission_escalation', UNCHALLENGED);
  if (verdict.kind === 'refused') throw new ProblemError('permission_escalation', REFUSED);
  const { confirms } = verdict.challenge;
  if (confirms === undefined) throw new ProblemError('permission_escalation', UNCHALLENGED);
  const { id, publicKey } = verdict.passkey;
  return { ...confirms, userId, passkey: { id, publicKey }, rpId: tools.party.id, assertion };
}

const UNCHALLENGED = {
  detail: `The confirmation with a passkey was used already, or is older than ${LIMITS.passkeyChallengeMinutes} minutes.`,
  fix: 'Start again, and confirm with your passkey.',
};
const REFUSED = {
  detail: 'The passkey was not accepted. It may have been removed, or it belongs to another user.',
  fix: 'Start again, and use a passkey that is on your list of passkeys.',
};

/** Whether exactly this was confirmed. */
export function confirms(confirmed: Confirmed | null, statement: Statement): confirmed is Confirmed {
  return confirmed !== null && confirmed.statement === JSON.stringify(statement);
}

/** A refusal that the same user can lift with a passkey, on a page of this server. */
export class ConfirmationNeeded extends ProblemError {
  /** What must be confirmed; null for a caller who has no page. */
  readonly statement: Statement | null;

  constructor(details: ProblemDetails, statement: Statement | null) {
    super('permission_escalation', details);
    this.statement = statement;
  }
}
