import { type Confirmed, confirms } from '../auth/passkeys/confirmation.ts';
import { approvalStatement, type Statement } from '../auth/passkeys/statement.ts';
import type { Caller } from '../keys/caller.ts';

/** What an approval would decide, as it is now. */
export interface ToApprove {
  readonly baseUrl: string;
  readonly hold: { readonly accountId: string; readonly id: string };
  /** The revision and hash of the content, with the edits of the approver. */
  readonly revision: number;
  readonly contentHash: string;
  readonly remember: boolean;
}

export type PasskeyVerdict =
  | { readonly kind: 'proven'; readonly confirmed: Confirmed }
  | { readonly kind: 'not_needed' }
  /** `statement` is what the approver can confirm on a page; null for a caller who cannot. */
  | { readonly kind: 'passkey_needed'; readonly statement: Statement | null };

/**
 * Whether an approval has the passkey that its rules ask for. It must have confirmed exactly this approval.
 * @param by who approves. `caller` is null for the link in a mail, which belongs to the member `memberId`.
 */
export function judgePasskey(
  { baseUrl, hold, ...approved }: ToApprove,
  by: { readonly memberId: string; readonly caller: Caller | null; readonly confirmed: Confirmed | null },
  isNeeded: boolean,
): PasskeyVerdict {
  const { accountId, id: approvalId } = hold;
  const { memberId, caller, confirmed } = by;
  // Neither a key nor a program has a page.
  const hasPage = caller === null || (caller.user !== null && !caller.user.isDevice);
  const statement = hasPage ? approvalStatement({ baseUrl, accountId, approvalId, memberId, ...approved }) : null;
  if (statement !== null && confirms(confirmed, statement)) return { kind: 'proven', confirmed };
  return isNeeded ? { kind: 'passkey_needed', statement } : { kind: 'not_needed' };
}

/** Why an approval is refused without a passkey, and where one is made. */
export function passkeyNeeded(baseUrl: string, id: string) {
  return {
    detail: 'Approving this needs a passkey of a signed-in approver. The send is still held.',
    fix: `Approve it on its page: ${baseUrl}/console/approvals/${id}. Rejecting needs no passkey.`,
  };
}
