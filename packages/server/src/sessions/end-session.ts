import { appendAudit } from '../db/queries/audit-log.ts';
import { deleteSession } from '../db/queries/sessions.ts';
import type { People } from './people.ts';
import { hashToken } from './session-token.ts';
import type { BorneToken } from './visit.ts';

/** Ends a session; one that has ended already stays so. */
export async function endSession(
  { tools: { sql, clock, ids }, sessions }: Pick<People, 'tools' | 'sessions'>,
  { token, kind }: BorneToken,
): Promise<void> {
  await sql.begin(async (transaction) => {
    const ended = await deleteSession(transaction, hashToken(token), kind);
    if (ended === null) return;
    const { accountId, memberId: actor, id: targetId } = ended;
    const now = clock.now();
    const entry = { accountId, id: ids.next(now), action: 'session.ended', actor, targetId, details: {}, now } as const;
    await appendAudit(transaction, [entry]);
  });
  sessions.forget();
}
