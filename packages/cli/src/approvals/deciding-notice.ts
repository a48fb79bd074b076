import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import { decidesNothing, HOW_TO_DECIDE } from '../output/views/session.ts';

/** What to say before anything is decided; null where the sign-in may decide, or a key calls. */
export async function findDecidingNotice(connection: ApiConnection): Promise<string | null> {
  try {
    const { record } = await connection.call('auth.session', {});
    return decidesNothing(record) ? HOW_TO_DECIDE : null;
  } catch (error) {
    // The list that follows fails in the same way, and says why.
    if (error instanceof CliFailure) return null;
    throw error;
  }
}
