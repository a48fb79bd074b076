import type { People } from './people.ts';
import { endStoredSession } from './sign-in.ts';
import type { BorneToken } from './visit.ts';

/** Ends a session; one that has ended already stays so. */
export async function endSession(
  { tools, sessions }: Pick<People, 'tools' | 'sessions'>,
  borne: BorneToken,
): Promise<void> {
  await tools.sql.begin(async (transaction) => await endStoredSession(transaction, tools, borne));
  sessions.forget();
}
