import type { AuthServices } from './auth-services.ts';
import type { SessionToken } from './client-info.ts';
import { endStoredSession } from './sign-in.ts';

/** Ends a session; does nothing if it has already ended. */
export async function endSession(
  { tools, sessions }: Pick<AuthServices, 'tools' | 'sessions'>,
  sessionToken: SessionToken,
): Promise<void> {
  await tools.sql.begin(async (transaction) => await endStoredSession(transaction, tools, sessionToken));
  sessions.forget();
}
