import type { Approval } from './schemas/approval.ts';

/** How many of several people have approved a hold: `1 of 2 people have approved it; 1 more must.` Null if one is enough. */
export function votesInWords({
  status,
  approvers,
  votes,
}: Pick<Approval, 'status' | 'approvers' | 'votes'>): string | null {
  const { count } = approvers;
  if (status !== 'pending' || count < 2) return null;
  if (votes.length === 0) return `${count} people must approve it.`;
  const more = count - votes.length;
  const next = more > 0 ? `${more} more must` : 'fewer are needed by now, so one more approval by anyone sends it';
  return `${votes.length} of ${count} people have approved it; ${next}.`;
}
