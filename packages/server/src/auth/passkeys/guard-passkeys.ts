import { LIMITS } from '@postrider/core';
import { approvesWithPasskey, couldApproveWithPasskey } from '../../db/queries/approver-rules.ts';
import { listPasskeys } from '../../db/queries/passkeys.ts';
import type { User } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import { type Confirmation, type Confirmed, confirms, readConfirmation } from './confirmation.ts';
import { isFirstPasskeyLink } from './first-passkey-link.ts';
import type { PasskeyTools } from './passkey-tools.ts';
import { passkeyStatement, type Statement } from './statement.ts';

/** What a change of the user's passkeys needs, so that a stolen session cannot make a passkey of the thief's approve. */
export interface PasskeyGuard {
  /** To add a passkey: one that the user has; for a first one that approves held sends, a mailed link, else a session that has just started. */
  readonly toAdd: 'passkey' | 'mailed_link' | 'fresh_session' | 'nothing';
  /** To remove a passkey: one that the user has, while it approves held sends. */
  readonly toRemove: 'passkey' | 'nothing';
}

type Owner = Pick<User, 'userId' | 'sessionId' | 'sessionEndsAt'>;

export async function readGuard({ auth: { tools } }: Pick<PasskeyTools, 'auth'>, user: Owner): Promise<PasskeyGuard> {
  const { sql, clock } = tools;
  const count = (await listPasskeys(sql, user.userId)).length;
  if (count > 0) {
    const approves = await approvesWithPasskey(sql, user.userId);
    return { toAdd: 'passkey', toRemove: approves ? 'passkey' : 'nothing' };
  }
  if (await couldApproveWithPasskey(sql, user.userId)) return { toAdd: 'mailed_link', toRemove: 'nothing' };
  return { toAdd: isFresh(user, clock.now()) ? 'nothing' : 'fresh_session', toRemove: 'nothing' };
}

const DAY_MS = 86_400_000;

/** A session ends a fixed time after its start. */
function isFresh({ sessionEndsAt }: Owner, now: Date): boolean {
  const startedAt = sessionEndsAt.getTime() - LIMITS.sessionDays * DAY_MS;
  return now.getTime() - startedAt <= LIMITS.firstPasskeyMinutes * 60_000;
}

/**
 * Returns whether a passkey has confirmed the addition.
 * @throws ProblemError if it must not be made
 */
export async function assertMayAdd(
  tools: PasskeyTools,
  user: Owner,
  { confirmation, link }: { readonly confirmation: Confirmation | null; readonly link: string | null },
): Promise<boolean> {
  const { toAdd } = await readGuard(tools, user);
  if (toAdd === 'nothing') return false;
  if (toAdd === 'mailed_link') {
    if (link !== null && (await isFirstPasskeyLink(tools.auth.tools, user, link))) return false;
    throw unmailed(tools);
  }
  if (toAdd === 'fresh_session') throw new ProblemError('permission_escalation', STALE);
  const confirmed = await read(tools, user, confirmation);
  if (confirms(confirmed, statementOf(tools, user, 'add', null))) return true;
  throw new ProblemError('permission_escalation', {
    detail: 'You have a passkey, so adding another one must be confirmed with it.',
    fix: 'Confirm it with a passkey that you have. If you have lost all of them, ask the operator of the server to remove them.',
  });
}

/** @throws ProblemError if it must not be made */
export async function assertMayRemove(
  tools: PasskeyTools,
  user: Owner,
  id: string,
  confirmation: Confirmation | null,
): Promise<void> {
  const { toRemove } = await readGuard(tools, user);
  if (toRemove === 'nothing') return;
  const confirmed = await read(tools, user, confirmation);
  if (!confirms(confirmed, statementOf(tools, user, 'remove', id))) throw unconfirmedRemoval(baseOf(tools));
}

export function unconfirmedRemoval(origin: string): ProblemError {
  return new ProblemError('permission_escalation', {
    detail: 'Your passkeys approve held sends, so removing one must be confirmed with a passkey.',
    fix: `Remove it on the page ${origin}/auth/passkeys. If you have lost all of them, ask the operator of the server to remove them.`,
  });
}

export function statementOf(
  tools: PasskeyTools,
  { userId }: Owner,
  change: 'add' | 'remove',
  id: string | null,
): Statement {
  return passkeyStatement(baseOf(tools), userId, change, id);
}

async function read(tools: PasskeyTools, { userId }: Owner, given: Confirmation | null): Promise<Confirmed | null> {
  return given === null ? null : await readConfirmation(tools, userId, given);
}

function baseOf({ party }: PasskeyTools): string {
  return party.origins[0] ?? party.id;
}

/** For a first passkey without a link that works for this session. */
export function unmailed(tools: PasskeyTools): ProblemError {
  return new ProblemError('permission_escalation', {
    detail:
      'Your passkey will approve held sends, so your first one must be confirmed with a link that is mailed to you.',
    fix: `Open ${baseOf(tools)}/auth/passkeys and press “Email me a link”. A link works once, for ${LIMITS.magicLinkMinutes} minutes, in the session that requested it.`,
  });
}

const STALE = {
  detail: `Your first passkey can be added only in the first ${LIMITS.firstPasskeyMinutes} minutes after you have signed in.`,
  fix: 'Sign out, sign in again, and add it then.',
};
