import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import { decidesNothing, HOW_TO_DECIDE } from '../output/views/session.ts';

/** A notice if the sign-in cannot decide; null if it can, or if a key calls. */
export async function findDecidingNotice(connection: ApiConnection): Promise<string | null> {
  try {
    const { record } = await connection.call('auth.session', {});
    return decidesNothing(record) ? HOW_TO_DECIDE : null;
  } catch (error) {
    // The list request that follows fails in the same way and reports it.
    if (error instanceof CliFailure) return null;
    throw error;
  }
}
