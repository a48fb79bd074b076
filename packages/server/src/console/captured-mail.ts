import type { Query } from '../db/client.ts';
import { type CapturedMessage, readCapturedMessage } from '../db/queries/captured-messages.ts';
import { POSTMASTER_ACCOUNT_ID } from '../db/queries/postmaster-account.ts';
import type { SecretBox } from '../keys/secret-box.ts';

/** The bytes to store of a captured message. The installation's own mail is encrypted here too, because it contains signed links. */
export function sealCaptured(box: SecretBox, accountId: string, raw: Uint8Array): Uint8Array {
  return accountId === POSTMASTER_ACCOUNT_ID ? box.seal(Buffer.from(raw).toString('latin1')) : raw;
}

/** One captured message with its bytes as they were sent; null if there is none with that id. */
export async function readCapturedMail(query: Query, box: SecretBox, id: string): Promise<CapturedMessage | null> {
  const captured = await readCapturedMessage(query, id);
  if (captured?.accountId !== POSTMASTER_ACCOUNT_ID) return captured;
  return { ...captured, raw: Buffer.from(box.open(captured.raw), 'latin1') };
}
