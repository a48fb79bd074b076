import type { OperationById, OperationOutput } from '@postrider/core';
import { toOneLine } from '../untrusted-text.ts';

export type Member = OperationOutput<OperationById<'team.invite'>>;

/** A member; names and addresses are third-party text. */
export function describeMember({ id, role, status, joinedAt, email, name }: Member): string {
  const since = joinedAt === null ? [] : [`joined ${joinedAt}`];
  return toOneLine([id, role, status, ...since, email, ...(name === null ? [] : [name])].join(' | '));
}
