import { ENCODED_LINE_LIMIT, ENCODED_WORD_LIMIT, encodeWords, SHORTEST_USEFUL_WORD } from './encoded-word.ts';

/** A mailbox as written in a header. */
export interface Mailbox {
  /** The display name in readable form, unquoted and unencoded. Null means none. */
  readonly name: string | null;
  /** Already validated: ASCII, the domain as A-labels. */
  readonly address: string;
}

/**
 * A value that no encoding makes valid in a header. Acceptance rejects such values much earlier, so a message that has
 * one at delivery can never work and must not be retried.
 */
export class HeaderRefusedError extends Error {
  readonly headerName: string;

  constructor(headerName: string, reason: string) {
    super(`header ${JSON.stringify(headerName)} ${reason}`);
    this.name = 'HeaderRefusedError';
    this.headerName = headerName;
  }
}

/**
 * The header line, with its CRLF, for human-readable text (the Subject). Encodes non-ASCII text, and text that a client
 * would mistake for encoded text.
 * @throws HeaderRefusedError on CR, LF or NUL.
 */
export function formatTextHeader(name: string, value: string): string {
  const text = checkedValue(name, value);
  const isPlain = PLAIN_TEXT.test(text) && !text.includes('=?');
  return (isPlain ? foldPlain(name, text) : null) ?? formatEncoded(name, text);
}

/**
 * The header line, with its CRLF, for a header that the sender wrote. ASCII is unchanged, because its syntax is the
 * sender's (it may contain encoded words already). Anything else is encoded.
 * @throws HeaderRefusedError on an invalid field name, and on CR, LF or NUL.
 */
export function formatCustomHeader(name: string, value: string): string {
  if (!FIELD_NAME.test(name)) throw new HeaderRefusedError(name, 'has a name that RFC 5322 does not allow');
  const text = checkedValue(name, value);
  return (PLAIN_TEXT.test(text) ? foldPlain(name, text) : null) ?? formatEncoded(name, text);
}

/**
 * The header line, with its CRLF, for one or more mailboxes, folded at the commas if it is long.
 * @throws HeaderRefusedError on CR, LF or NUL in a name, and on anything but printable ASCII in an address.
 */
export function formatAddressHeader(name: string, mailboxes: readonly Mailbox[]): string {
  const lines: FoldingLines = { finished: '', current: `${name}:` };
  const last = mailboxes.length - 1;
  mailboxes.forEach((mailbox, index) => {
    if (!ADDRESS.test(mailbox.address)) throw new HeaderRefusedError(name, 'contains an address that is not ASCII');
    appendMailbox(lines, name, mailbox, index < last ? ',' : '');
  });
  return `${lines.finished}${lines.current}\r\n`;
}

const FOLD_AT = 78;
const MAX_LINE_LENGTH = 998;

/** RFC 5322 §3.6.8 sets no length. This limit leaves room on the line for the colon and the first fold. */
const FIELD_NAME = /^[!-9;-~]{1,900}$/;
const PLAIN_TEXT = /^[\t\x20-\x7e]*$/;
/** A quoted local part may contain a space. 320 is the longest local part and domain of RFC 5321 §4.5.3.1 with the "@". */
const ADDRESS = /^[\x20-\x7e]{3,320}$/;
/** Atoms (RFC 5322 §3.2.3) with single spaces between them need no quotes. */
const ATOMS = /^[\w!#$%&'*+\-/=?^`{|}~]+(?: [\w!#$%&'*+\-/=?^`{|}~]+)*$/;
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Surrounding white space has no meaning in a header, and a line that ends in it would be changed in transit. */
function checkedValue(name: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw new HeaderRefusedError(name, 'contains a line break or NUL');
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * Folds plain text before white space, so that no continuation line is blank and unfolding gives the same text. Null if
 * a stretch without a place to fold is longer than a line may be.
 */
function foldPlain(name: string, text: string): string | null {
  if (text === '') return `${name}:\r\n`;
  if (name.length + 2 + text.length <= FOLD_AT) return `${name}: ${text}\r\n`;
  let folded = `${name}:`;
  let column = folded.length;
  let isFirst = true;
  for (const [stretch] of ` ${text}`.matchAll(/[ \t]+[^ \t]+/g)) {
    // A long first stretch stays on the line of the name: a name alone on its line confuses simple parsers.
    if (column + stretch.length > (isFirst ? MAX_LINE_LENGTH : FOLD_AT)) {
      folded += '\r\n';
      column = 0;
    }
    if (stretch.length > MAX_LINE_LENGTH) return null;
    folded += stretch;
    column += stretch.length;
    isFirst = false;
  }
  return `${folded}\r\n`;
}

function formatEncoded(name: string, text: string): string {
  const lines: FoldingLines = { finished: '', current: `${name}:` };
  for (const word of encodeWords(text, 'text', openWord(lines))) append(lines, word);
  return `${lines.finished}${lines.current}\r\n`;
}

interface FoldingLines {
  finished: string;
  current: string;
}

/** Every token may be preceded by a fold. Lines stay within 76 characters, the limit for lines with an encoded word. */
function append(lines: FoldingLines, token: string): void {
  if (lines.current.length + 1 + token.length > ENCODED_LINE_LIMIT) startLine(lines);
  lines.current += ` ${token}`;
}

function startLine(lines: FoldingLines): void {
  if (lines.current === '') return;
  lines.finished += `${lines.current}\r\n`;
  lines.current = '';
}

/** The room for an encoded word on the current line, or on a new line if too little is left. */
function openWord(lines: FoldingLines): number {
  const room = ENCODED_LINE_LIMIT - lines.current.length - 1;
  if (room >= SHORTEST_USEFUL_WORD) return room;
  startLine(lines);
  return ENCODED_WORD_LIMIT;
}

function appendMailbox(lines: FoldingLines, headerName: string, mailbox: Mailbox, tail: string): void {
  const name = checkedValue(headerName, mailbox.name ?? '');
  // A quoted local part needs the brackets even without a name: parsers that remove quotes take the address for a name.
  const isBare = name === '' && !mailbox.address.startsWith('"');
  const address = isBare ? `${mailbox.address}${tail}` : `<${mailbox.address}>${tail}`;
  const phrase = plainPhrase(name);
  if (name === '') {
    append(lines, address);
  } else if (phrase === null) {
    for (const word of encodeWords(name, 'phrase', openWord(lines))) append(lines, word);
    append(lines, address);
  } else if (phrase.length + 1 + address.length < ENCODED_LINE_LIMIT) {
    append(lines, `${phrase} ${address}`);
  } else {
    append(lines, phrase);
    append(lines, address);
  }
}

/** The display name as atoms or a quoted string, or null where it must be encoded: not ASCII, or longer than a line. */
function plainPhrase(name: string): string | null {
  if (!PRINTABLE.test(name) || name.includes('=?')) return null;
  const phrase = ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
  return phrase.length < ENCODED_LINE_LIMIT ? phrase : null;
}
