import { type Approvers, type FieldProblem, nameOperation, toApprovers } from '@postrider/core';
import { relyingPartyOf } from '../auth/passkeys/relying-party.ts';
import type { Query } from '../db/client.ts';
import { readAbleApprovers, readApproverRules, readKeysWithFewer } from '../db/queries/approver-rules.ts';
import { isUuid } from '../uuid-v7.ts';
import { validationFailed } from './parse-part.ts';

interface Setting {
  readonly accountId: string;
  /** The setting that a request states; undefined leaves it unchanged. */
  readonly given: { readonly [Name in keyof Approvers]?: Approvers[Name] | undefined } | null | undefined;
  readonly baseUrl: string;
  /** Whether the setting is for the whole account, and not for a key. */
  readonly isForAccount?: boolean;
}

/**
 * Refuses rules that no one could meet, which would leave everything held until it expires: passkeys without a base URL for them, members
 * who cannot approve, and more approvals than there are members who can.
 */
export async function assertApproversWork(query: Query, setting: Setting): Promise<void> {
  if (setting.given == null) return;
  const problems = await findFaults(query, setting);
  if (problems.length > 0) throw validationFailed(problems);
}

async function findFaults(query: Query, { accountId, given, baseUrl, isForAccount = false }: Setting) {
  const { requirePasskey, count, memberIds } = toApprovers(asGiven(given));
  const problems: FieldProblem[] = [];
  if (requirePasskey && relyingPartyOf(baseUrl) === null) problems.push(NO_PASSKEYS);
  if (count === 1 && memberIds === null) return problems;
  const able = await readAbleApprovers(query, accountId, null);
  const unknown = (memberIds ?? []).flatMap((id, index) => (isUuid(id) && able.includes(id) ? [] : [index]));
  for (const index of unknown) problems.push(notAble(index));
  const needed = isForAccount ? count : Math.max(count, (await readApproverRules(query, accountId, [])).count);
  const people = memberIds === null ? able.length : new Set(memberIds).size;
  if (unknown.length === 0 && needed > people) problems.push(tooFew(needed, people, memberIds !== null));
  const [key] = isForAccount && count > 1 ? await readKeysWithFewer(query, accountId, count) : [];
  if (key !== undefined) problems.push(keyWithFewer(key.name));
  return problems;
}

function asGiven(given: Setting['given']) {
  return { ...given, memberIds: given?.memberIds === null ? null : given?.memberIds?.slice() };
}

const CONFLICT = 'conflict';
const NO_PASSKEYS: FieldProblem = {
  path: 'approvers.requirePasskey',
  code: CONFLICT,
  message: 'needs a base URL with a host name: passkeys do not work with an IP address',
};

function notAble(index: number): FieldProblem {
  const message = `must be the id of a member who can approve: an owner, admin or approver who has joined (${nameOperation('team.list')})`;
  return { path: `approvers.memberIds.${index}`, code: CONFLICT, message };
}

function tooFew(needed: number, people: number, areNamed: boolean): FieldProblem {
  const who = areNamed
    ? `only ${people} ${people === 1 ? 'is' : 'are'} named`
    : `the account has only ${people} ${people === 1 ? 'member' : 'members'} who can approve`;
  return { path: 'approvers.count', code: CONFLICT, message: `${needed} people must approve, but ${who}` };
}

function keyWithFewer(name: string): FieldProblem {
  const message = `the key “${name}” names fewer approvers: change it first`;
  return { path: 'approvers.count', code: CONFLICT, message };
}
