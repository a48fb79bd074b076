import { SEALED_BODY_MARK } from '../db/queries/postmaster-account.ts';
import type { SecretBox } from './secret-box.ts';

export interface MailBody {
  readonly text: string | null;
  readonly html: string | null;
}

/** Encrypts both bodies into one storable text. Their links act for the user they were mailed to, so a dump must not reveal them. */
export function sealBody(box: SecretBox, { text, html }: MailBody): MailBody {
  const envelope = box.seal(JSON.stringify({ text, html })).toString('base64');
  return { text: `${SEALED_BODY_MARK}${envelope}`, html: null };
}

/**
 * Reverses `sealBody`. A body without the mark is returned unchanged, because an earlier release stored it unsealed.
 * @throws if no key of the installation opens the envelope
 */
export function openBody(box: SecretBox, stored: MailBody): MailBody {
  if (!isSealed(stored)) return stored;
  const envelope = Buffer.from(stored.text.slice(SEALED_BODY_MARK.length), 'base64');
  const { text, html } = JSON.parse(box.open(envelope)) as MailBody; // Only `sealBody` makes envelopes of bodies.
  return { text, html };
}

function isSealed(body: MailBody): body is { readonly text: string; readonly html: null } {
  return body.html === null && body.text?.startsWith(SEALED_BODY_MARK) === true;
}
