import type { CallableId } from '@postrider/core';
import { ConfirmationNeeded, type Confirmed, confirms } from '../auth/passkeys/confirmation.ts';
import { changeStatement, type Statement } from '../auth/passkeys/statement.ts';
import type { KeyedContext } from './context.ts';

/** A change that needs a passkey where approvals need one, because it would let more be approved, or with less proof. */
export interface GuardedChange {
  readonly operation: CallableId;
  /** The id of what is changed; null for the account. */
  readonly target: string | null;
  /** Everything else that the change depends on. */
  readonly what: unknown;
  /** What the change would do, for the refusal: `This turns off …`. */
  readonly detail: string;
  /** Where a user can confirm it, below the base URL. */
  readonly page: string;
}

/** The refusal of a change that was not confirmed; null if exactly this change was. */
export function findUnconfirmed(
  { caller, services }: KeyedContext,
  confirmed: Confirmed | null,
  { detail, page, ...change }: GuardedChange,
): ConfirmationNeeded | null {
  const { baseUrl } = services.installation;
  const { accountId, user } = caller;
  const hasPage = user !== null && !user.isDevice && caller.scopes.includes('approvals:decide');
  const statement: Statement | null = hasPage ? changeStatement({ baseUrl, accountId }, change, user.memberId) : null;
  if (statement !== null && confirms(confirmed, statement)) return null;
  const fix = `Do this on the page ${baseUrl}${page}, as a user who may approve, and confirm it with a passkey.`;
  return new ConfirmationNeeded(
    { detail: `${detail} Approvals here need a passkey, so this needs one too.`, fix },
    statement,
  );
}
