import { SEALED_BODY_MARK } from '../db/queries/postmaster-account.ts';
import type { SecretBox } from './secret-box.ts';

export interface MailBody {
  readonly text: string | null;
  readonly html: string | null;
}

/** Both bodies as one text that can be stored: the links in them act for the person they were mailed to, so a dump must not show them. */
export function sealBody(box: SecretBox, { text, html }: MailBody): MailBody {
  const envelope = box.seal(JSON.stringify({ text, html })).toString('base64');
  return { text: `${SEALED_BODY_MARK}${envelope}`, html: null };
}

/**
 * The bodies as they were before `sealBody`. A body without the mark is returned as it is: an earlier release stored it.
 * @throws where no key of the installation opens the envelope.
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
