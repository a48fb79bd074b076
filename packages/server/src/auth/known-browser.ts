import { foldAddress } from '@postrider/core';
import type { SecretBox } from '../keys/secret-box.ts';
import { createSecret } from './session-token.ts';

/** Separates these values from others that the installation seals. */
const PURPOSE = 'known-browser';

/**
 * A cookie value for a browser after sign-in. It lets the browser request a link when others have used up the mailbox's links. It signs no
 * one in.
 */
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
    return ''; // Forged, truncated, or sealed with a key that the installation no longer has.
  }
}
