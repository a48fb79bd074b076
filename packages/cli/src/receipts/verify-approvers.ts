import { isRecord, type JsonRecord, recordsOf, textOf } from '../output/json-value.ts';

/**
 * Checks that the deciders of an approval meet the rule that the receipt states: enough people, only members that it names if it names any,
 * and each with a passkey if it requires one. Returns what is wrong; null if nothing is, or if the receipt states no rule.
 */
export function findApproverFault(claims: JsonRecord): string | null {
  const { approvers, decision } = claims;
  if (decision !== 'approved' || !isRecord(approvers)) return null;
  const deciders = recordsOf(claims['deciders']);
  if (deciders.length === 0) return 'It names no one who approved.';
  const { count, memberIds, requirePasskey } = approvers;
  const needed = typeof count === 'number' ? count : 1;
  const people = new Set(deciders.filter(({ kind }) => kind === 'member').map(({ id }) => textOf(id)));
  if (needed > 1 && people.size < needed) return `It names ${people.size} of the ${needed} people who had to approve.`;
  const isNamed = ({ id }: JsonRecord) => !Array.isArray(memberIds) || memberIds.includes(id);
  if (!deciders.every(isNamed)) return 'It names someone who was not allowed to approve.';
  const isProven = ({ assertion }: JsonRecord) => requirePasskey !== true || assertion !== undefined;
  return deciders.every(isProven) ? null : 'An approval that needed a passkey has none.';
}
