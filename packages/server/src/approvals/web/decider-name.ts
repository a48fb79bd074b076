import type { Query } from '../../db/client.ts';
import { listMembers } from '../../db/queries/members.ts';

/** Who decided, for the page of a link: a member, or else a key. Null for a rule. */
export async function readDeciderName(sql: Query, accountId: string, decidedBy: string | null): Promise<string | null> {
  if (decidedBy === null || decidedBy === 'system') return null;
  const member = (await listMembers(sql, accountId)).find(({ id }) => id === decidedBy);
  return member === undefined ? 'An API key' : (member.name ?? member.email);
}
