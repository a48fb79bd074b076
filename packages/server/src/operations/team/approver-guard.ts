import type { ConfirmationNeeded, Confirmed } from '../../auth/passkeys/confirmation.ts';
import { findUnconfirmed } from '../confirm-change.ts';
import type { KeyedContext } from '../context.ts';

/** What refuses to add someone who approves, where approvals need a passkey; null if a passkey has confirmed exactly this. */
export function approverGuard(
  context: KeyedContext,
  confirmed: Confirmed | null,
  operation: 'team.invite' | 'team.update',
  target: string | null,
  what: unknown,
): ConfirmationNeeded | null {
  const detail = 'This lets someone else approve.';
  return findUnconfirmed(context, confirmed, { operation, target, what, detail, page: '/console/team' });
}
