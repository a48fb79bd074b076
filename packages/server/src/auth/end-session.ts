import type { SessionToken } from './client-info.ts';
import type { People } from './people.ts';
import { endStoredSession } from './sign-in.ts';

/** Ends a session; one that has ended already stays so. */
export async function endSession(
  { tools, sessions }: Pick<People, 'tools' | 'sessions'>,
  sessionToken: SessionToken,
): Promise<void> {
  await tools.sql.begin(async (transaction) => await endStoredSession(transaction, tools, sessionToken));
  sessions.forget();
}
