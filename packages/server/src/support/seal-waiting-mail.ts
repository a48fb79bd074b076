import type { Sql } from '../db/client.ts';
import { isMailUnsealed, lockUnsealedBodies, markMailSealed, replaceBody } from '../db/queries/waiting-mail.ts';
import { sealBody } from '../keys/sealed-body.ts';
import type { SecretBox } from '../keys/secret-box.ts';

const BATCH = 100;

/**
 * Encrypts the installation's own mail that was waiting during an upgrade from a release that stored it in plaintext. It
 * runs at each start until it has completed once. A worker that has already read a body sends it unchanged.
 */
export async function sealWaitingMail(sql: Sql, secrets: SecretBox): Promise<number> {
  if (!(await isMailUnsealed(sql))) return 0;
  let sealed = 0;
  for (;;) {
    const count = await sql.begin(async (transaction) => {
      const bodies = await lockUnsealedBodies(transaction, BATCH);
      for (const body of bodies) await replaceBody(transaction, { ...body, ...sealBody(secrets, body) });
      return bodies.length;
    });
    sealed += count;
    if (count === 0) break;
  }
  await markMailSealed(sql);
  return sealed;
}
