import { LIMITS } from '@postrider/core';
import { listMembers } from '../../db/queries/members.ts';
import type { Handler } from '../context.ts';
import { toMember } from './member-record.ts';

export const listTeam: Handler<'team.list'> = async (_input, { services: { database }, caller }) => {
  const rows = await listMembers(database.sql, caller.accountId);
  return { body: { members: rows.map(toMember), seats: { used: rows.length, limit: LIMITS.seatsPerAccount } } };
};
