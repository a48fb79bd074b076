import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import { isRecord, type JsonRecord, textOf } from '../output/json-value.ts';
import { singleLine } from '../output/untrusted-text.ts';
import { decidesNothing, HOW_TO_DECIDE, mayRoleDecide } from '../output/views/session.ts';

/** Why the caller cannot decide held sends, and what to do; null if it can, or if that is not known. */
export async function findDecidingNotice(connection: ApiConnection): Promise<string | null> {
  const session = await readOrNull(connection.call('auth.session', {}));
  if (session !== null && session['authenticated'] !== false) return noticeOfSession(session);
  const key = await readOrNull(connection.call('keys.self', {}));
  return key === null ? null : noticeOfKey(key);
}

function noticeOfSession(session: JsonRecord): string | null {
  if (decidesNothing(session)) return HOW_TO_DECIDE;
  const role = isRecord(session['user']) ? singleLine(textOf(session['user']['role'])) : '';
  if (role === '' || mayRoleDecide(role)) return null;
  return `Your role (${role}) cannot approve or reject. An owner or admin of the account can change it.`;
}

function noticeOfKey({ scopes }: JsonRecord): string | null {
  if (!Array.isArray(scopes) || scopes.includes('approvals:decide')) return null;
  return 'This key cannot approve or reject: it lacks the scope approvals:decide. Sign in with postrider login, or use a key that has the scope.';
}

/** Another error, such as a lost connection, is not known to mean anything: the list request that follows reports it. */
async function readOrNull(response: Promise<{ readonly record: JsonRecord }>): Promise<JsonRecord | null> {
  try {
    return (await response).record;
  } catch (error) {
    if (error instanceof CliFailure) return null;
    throw error;
  }
}
