import { LIMITS } from '@postrider/core';
import type { Decider } from '../approvals/holds/decider.ts';
import { findKeyById, listProgramKeys } from '../db/queries/api-keys.ts';
import { isUuid } from '../uuid-v7.ts';
import type { Caller } from './caller.ts';
import { type KeyRefusal, type KeyTools, pauseKey, revokeKey } from './manage-keys.ts';

/** The keys of the programs that the user allowed in the account of the session and that still have access. */
export async function listOwnPrograms({ sql, clock }: KeyTools, { accountId, keyId: memberId }: Caller) {
  return await listProgramKeys(sql, { accountId, memberId, now: clock.now(), limit: LIMITS.programsListed });
}

const MISSING: KeyRefusal = { kind: 'missing' };

/** Ends the access of a program that the user allowed, as the revocation of a key does, whatever their role may do with keys. */
export async function revokeOwnProgram(tools: KeyTools, caller: Caller, keyId: string, decider: Decider) {
  return (await isOwnProgram(tools, caller, keyId)) ? await revokeKey(tools, caller.row, keyId, decider) : MISSING;
}

/** Pauses or resumes such a program. What another user paused stays paused, unless the role of this user may change keys. */
export async function pauseOwnProgram(tools: KeyTools, caller: Caller, keyId: string, paused: boolean) {
  if (!(await isOwnProgram(tools, caller, keyId))) return MISSING;
  return await pauseKey(tools, caller.row, keyId, paused, !caller.scopes.includes('keys:write'));
}

/** Who allowed a program never changes, so this needs no lock. */
async function isOwnProgram({ sql }: KeyTools, caller: Caller, keyId: string): Promise<boolean> {
  const row = isUuid(keyId) ? await findKeyById(sql, caller.accountId, keyId) : null;
  return row !== null && row.clientId !== null && row.createdByMember === caller.user?.memberId;
}
