import type { Approval } from './schemas/approval.ts';

/** How far an approval is where several people must approve: `1 of 2 people approved it; 1 more must.` Null if one is enough. */
export function votesInWords({
  status,
  approvers,
  votes,
}: Pick<Approval, 'status' | 'approvers' | 'votes'>): string | null {
  const { count } = approvers;
  if (status !== 'pending' || count < 2) return null;
  if (votes.length === 0) return `${count} people must approve it.`;
  const more = Math.max(0, count - votes.length);
  return `${votes.length} of ${count} people approved it; ${more} more must.`;
}
