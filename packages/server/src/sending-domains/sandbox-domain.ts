import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { INSTALLATION_ACCOUNT_ID, insertVerifiedDomain, readSigningKeys } from '../db/queries/sending-domains.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { generateDkimKey } from './dkim-key.ts';

const SELECTOR = 'postrider';

/** The stored secrets were sealed with a key other than the configured one. */
class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError';
  readonly fix =
    'Set POSTRIDER_SECRET_KEY to the key this database was first used with (in development it is in secret.key of the data directory it was started with), or use another database. If you changed the key on purpose, set POSTRIDER_SECRET_KEY_PREVIOUS to the former one.';
}

/**
 * Prepares the installation's sandbox domain for sending: a DKIM key pair, stored under the nil account. This also checks that stored
 * secrets can be opened, so that a wrong key fails at startup and not at the first delivery.
 */
export async function ensureSandboxDomain(
  {
    sql,
    clock,
    ids,
    secrets,
  }: { readonly sql: Sql; readonly clock: Clock; readonly ids: IdGenerator; readonly secrets: SecretBox },
  name: string,
): Promise<void> {
  const [existing] = await readSigningKeys(sql, INSTALLATION_ACCOUNT_ID, name);
  if (existing !== undefined) return assertOpens(secrets, existing.privateKey);
  const key = await generateDkimKey();
  const now = clock.now();
  await insertVerifiedDomain(sql, {
    accountId: INSTALLATION_ACCOUNT_ID,
    id: ids.next(now),
    name,
    dkimSelector: SELECTOR,
    dkimPrivateKey: secrets.seal(key.privateKeyPem),
    dkimPublicKey: key.publicKeyBase64,
    returnPathHost: name,
    now,
  });
}

function assertOpens(secrets: SecretBox, envelope: Uint8Array): void {
  try {
    secrets.open(envelope);
  } catch {
    throw new SecretKeyError('The secrets in this database were encrypted with another secret key.');
  }
}
