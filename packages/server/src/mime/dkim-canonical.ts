import { hash } from 'node:crypto';
import type { ComposedMessage } from './compose-mime.ts';

/** What every DKIM signature over one message shares, so that a second key costs no second pass over the body. */
export interface CanonicalMessage {
  /** Base64 of the SHA-256 of the body in relaxed form. */
  readonly bodyHash: string;
  /** The names for the h= tag in signing order; a name once more than its header occurs forbids adding one. */
  readonly signedNames: readonly string[];
  /** The signed headers in relaxed form, each ending in CRLF, in the order of the names. */
  readonly signedHeaders: string;
}

/**
 * Puts a composed message into the relaxed/relaxed form of RFC 6376 §3.4 and hashes its body.
 */
export function canonicalizeMessage(composed: ComposedMessage): CanonicalMessage {
  return { bodyHash: hashRelaxedBody(composed.body), ...selectHeaders(relaxHeader(composed.header)) };
}

/** Signed once more than they occur (RFC 6376 §5.4.2), because what they say decides who and what a reader believes. */
const OVERSIGNED = ['From', 'To', 'Cc', 'Subject', 'Reply-To', 'Content-Type'];

/** Signed where present. RFC 8058 §4 wants both List-Unsubscribe headers covered, Gmail's Feedback-ID counts only so. */
const SIGNED = [
  'Date',
  'Message-ID',
  'In-Reply-To',
  'References',
  'MIME-Version',
  'Content-Transfer-Encoding',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'List-ID',
  'Feedback-ID',
];

const SIGNING_ORDER = [
  ...OVERSIGNED.map((name) => ({ name, key: name.toLowerCase(), isOversigned: true })),
  ...SIGNED.map((name) => ({ name, key: name.toLowerCase(), isOversigned: false })),
];

function selectHeaders(lines: Map<string, string[]>): Pick<CanonicalMessage, 'signedNames' | 'signedHeaders'> {
  const signedNames: string[] = [];
  let signedHeaders = '';
  for (const { name, key, isOversigned } of SIGNING_ORDER) {
    // Of several headers of one name the last is signed first (RFC 6376 §5.4.2).
    for (const line of lines.get(key)?.toReversed() ?? []) {
      signedNames.push(name);
      signedHeaders += line;
    }
    if (isOversigned) signedNames.push(name);
  }
  return { signedNames, signedHeaders };
}

/** The relaxed header lines (RFC 6376 §3.4.2), by lower-case name. */
function relaxHeader(header: string): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  const unfolded = header.replace(/[ \t]*\r\n[ \t]+|[ \t]{2,}|\t/g, ' ');
  for (const field of unfolded.split('\r\n')) {
    const colon = field.indexOf(':');
    if (colon === -1) continue;
    const key = field.slice(0, colon).trimEnd().toLowerCase();
    const line = `${key}:${field.slice(colon + 1).trim()}\r\n`;
    const sameName = lines.get(key);
    if (sameName === undefined) lines.set(key, [line]);
    else sameName.push(line);
  }
  return lines;
}

/**
 * RFC 6376 §3.4.4: blanks before a line end go, other runs of blanks become one space, the empty lines at the end go.
 * Three native passes are faster than one loop over the bytes, and every pattern is linear: runs shrink to one space
 * before anything looks for what follows a space.
 */
function hashRelaxedBody(body: string): string {
  const spaced = body.includes('\t') ? body.replaceAll('\t', ' ') : body;
  const relaxed = spaced.replace(/ {2,}/g, ' ').replace(/ \r\n/g, '\r\n');
  return hash('sha256', relaxed.slice(0, withoutEmptyLines(relaxed)), 'base64');
}

/** The length that ends with the CRLF of the last line that is not empty; the body ends in CRLF where it is not empty. */
function withoutEmptyLines(body: string): number {
  let end = body.length;
  while (end >= 4 && body.startsWith('\r\n\r\n', end - 4)) end -= 2;
  return body.slice(0, end) === '\r\n' ? 0 : end;
}
