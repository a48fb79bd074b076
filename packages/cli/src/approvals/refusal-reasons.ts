import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../output/json-value.ts';
import { singleLine } from '../output/untrusted-text.ts';
import { type Hold, recipientsOf } from './hold.ts';

/** The fields of a send that the acceptance check depends on. */
export type CheckedSend = Pick<Hold, 'from' | 'to' | 'cc' | 'bcc' | 'subject'>;

/** The checks of a dry run that an approval repeats. The quota is not one of them, because the held send is charged already. */
const REPEATED: readonly unknown[] = ['account', 'domain', 'allowlist', 'suppression'];
/** For a key that can only decide, each recipient takes a request. */
const RECIPIENTS_READ = 20;

/**
 * Why the acceptance check would refuse a held send now; empty if no reason is known. The result is only a warning: the check runs again with
 * the approval.
 */
export async function findRefusalReasons(send: CheckedSend, connection: ApiConnection): Promise<readonly string[]> {
  const { from, to, cc, bcc, subject } = send;
  const body = { from, to, cc, bcc, subject: subject || '-', text: '-', dry_run: true };
  const dryRun = await tryCall(connection, 'emails.send', { body });
  if (dryRun === null) return await readReasons(send, connection);
  return recordsOf(dryRun['checks'])
    .filter(({ name, ok }) => ok !== true && REPEATED.includes(name))
    .map(({ message }) => singleLine(textOf(message)));
}

/** For callers that can decide but not send. */
async function readReasons(send: CheckedSend, connection: ApiConnection): Promise<readonly string[]> {
  const addresses = recipientsOf(send).slice(0, RECIPIENTS_READ);
  const suppressed = await Promise.all(
    addresses.map(async (email) => {
      const page = await tryCall(connection, 'suppressions.list', { query: { email } });
      return recordsOf(page?.['suppressions']).length > 0 ? [`${email} is on the suppression list.`] : [];
    }),
  );
  const name = /@([^@>]+)>?$/.exec(send.from)?.[1] ?? '';
  const domains = await tryCall(connection, 'domains.list', { query: { name } });
  const unverified = recordsOf(domains?.['domains']).filter(({ status }) => !SENDING.includes(status));
  return [
    ...suppressed.flat(),
    ...unverified.map(({ status }) => `The domain ${name} is ${textOf(status)}, and cannot send.`),
  ].map(singleLine);
}

const SENDING: readonly unknown[] = ['verified', 'degraded'];

/** Null if the caller lacks the scope or the server does not respond: a missing warning must not prevent a decision. */
async function tryCall(
  connection: ApiConnection,
  operation: string,
  { query = {}, body }: { readonly query?: JsonRecord; readonly body?: JsonRecord },
): Promise<JsonRecord | null> {
  try {
    const { data } = await connection.callCommand(operation, { params: {}, query, headers: {}, body }, 0);
    return isRecord(data) ? data : null;
  } catch (error) {
    if (error instanceof CliFailure) return null;
    throw error;
  }
}
