import { randomUUID } from 'node:crypto';
import type { TaggedSql } from '../../test/harness/tagged.ts';

/** A signed-in browser. */
export interface Reader {
  /** Name and value. */
  readonly cookie: string;
}

const EMAIL = 'reader@bench.example';

/** Gives an owner to the account, as the data set has none, and signs in with the development sign-in. */
export async function signInReader(sql: TaggedSql, accountId: string, baseUrl: string): Promise<Reader> {
  await sql`
    INSERT INTO members (id, account_id, email, role, status, invited_at)
    SELECT ${randomUUID()}, ${accountId}, ${EMAIL}, 'owner', 'invited', now()
    WHERE NOT EXISTS (SELECT FROM members WHERE account_id = ${accountId} AND email = ${EMAIL})`;
  const response = await fetch(`${baseUrl}/dev/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ email: EMAIL }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (!response.ok || cookie === undefined) throw new Error(`signing in: ${response.status} ${await response.text()}`);
  return { cookie };
}
