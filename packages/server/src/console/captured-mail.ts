import type { Query } from '../db/client.ts';
import { type CapturedMessage, readCapturedMessage } from '../db/queries/captured-messages.ts';
import { POSTMASTER_ACCOUNT_ID } from '../db/queries/postmaster-account.ts';
import type { SecretBox } from '../keys/secret-box.ts';

/** The bytes to store of a caught message. The installation's own mail is sealed here too: it carries links that act for its reader. */
export function sealCaptured(box: SecretBox, accountId: string, raw: Uint8Array): Uint8Array {
  return accountId === POSTMASTER_ACCOUNT_ID ? box.seal(Buffer.from(raw).toString('latin1')) : raw;
}

/** One caught message with its bytes as they were sent; null where there is none of that id. */
export async function readCapturedMail(query: Query, box: SecretBox, id: string): Promise<CapturedMessage | null> {
  const captured = await readCapturedMessage(query, id);
  if (captured?.accountId !== POSTMASTER_ACCOUNT_ID) return captured;
  return { ...captured, raw: Buffer.from(box.open(captured.raw), 'latin1') };
}
