import { foldAddress } from '@postrider/core';
import type { SecretBox } from '../keys/secret-box.ts';
import { createSecret } from './session-token.ts';

/** Keeps apart what else the installation seals. */
const PURPOSE = 'known-browser';

/** What a browser keeps after a sign-in, so that it can still ask for a link when others have used up those of the mailbox. It signs in to nothing. */
export function sealKnownBrowser(secrets: SecretBox, email: string): string {
  const content = `${PURPOSE} ${createSecret().token} ${foldAddress(email)}`;
  return secrets.seal(content).toString('base64url');
}

/** The id of a browser in which the owner of the mailbox has signed in; null for any other browser. */
export function readKnownBrowser(secrets: SecretBox, cookie: string | null, email: string): string | null {
  if (cookie === null) return null;
  const [purpose, id, mailbox] = openOrEmpty(secrets, cookie).split(' ');
  return purpose === PURPOSE && id !== undefined && mailbox === foldAddress(email) ? id : null;
}

function openOrEmpty(secrets: SecretBox, cookie: string): string {
  try {
    return secrets.open(Buffer.from(cookie, 'base64url'));
  } catch {
    return ''; // Forged, cut short, or sealed under a key that the installation no longer has.
  }
}
