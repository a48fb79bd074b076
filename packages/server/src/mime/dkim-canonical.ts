import { hash } from 'node:crypto';
import type { ComposedMessage } from './compose-mime.ts';

/** What all DKIM signatures of one message share, so that a second key needs no second pass over the body. */
export interface CanonicalMessage {
  /** Base64 of the SHA-256 of the body in relaxed form. */
  readonly bodyHash: string;
  /** The names for the h= tag in signing order. Listing a name one more time than its header occurs prevents adding another one. */
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

/** Signed one more time than they occur (RFC 6376 §5.4.2), because readers trust them. */
const OVERSIGNED = ['From', 'To', 'Cc', 'Subject', 'Reply-To', 'Content-Type'];

/** Signed if present. RFC 8058 §4 requires both List-Unsubscribe headers to be covered, and Gmail counts Feedback-ID only if it is. */
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
    // If a header occurs several times, the last one is signed first (RFC 6376 §5.4.2).
    for (const line of lines.get(key)?.toReversed() ?? []) {
      signedNames.push(name);
      signedHeaders += line;
    }
    if (isOversigned) signedNames.push(name);
  }
  return { signedNames, signedHeaders };
}

/** The relaxed header lines (RFC 6376 §3.4.2), by lowercase name. */
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
 * RFC 6376 §3.4.4: removes white space before line endings, reduces other white space to one space, and removes empty
 * lines at the end. Three native passes are faster than one loop over the bytes. Every pattern is linear: runs shrink to
 * one space before any pattern looks for what follows a space.
 */
function hashRelaxedBody(body: string): string {
  const spaced = body.includes('\t') ? body.replaceAll('\t', ' ') : body;
  const relaxed = spaced.replace(/ {2,}/g, ' ').replace(/ \r\n/g, '\r\n');
  return hash('sha256', relaxed.slice(0, withoutEmptyLines(relaxed)), 'base64');
}

/** The length up to and including the CRLF of the last non-empty line. A non-empty body ends in CRLF. */
function withoutEmptyLines(body: string): number {
  let end = body.length;
  while (end >= 4 && body.startsWith('\r\n\r\n', end - 4)) end -= 2;
  return body.slice(0, end) === '\r\n' ? 0 : end;
}
