/** The lines of a header, with folds removed (RFC 5322 §2.2.3). */
export function readUnfolded(header: string): readonly string[] {
  const lines = header.replace(/\r\n(?=[ \t])/g, '').split('\r\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** A text that may consist of encoded words (RFC 2047). Text that is not all encoded words is returned unchanged. */
export function readEncodedText(value: string): string {
  const words = value.split(/[ \t]+/).map((word) => /^=\?utf-8\?([QB])\?([!->@-~]*)\?=$/.exec(word));
  const bytes = words.map((word) => (word === null ? null : decodeWord(word[1] ?? '', word[2] ?? '')));
  return bytes.every((part) => part !== null) ? Buffer.concat(bytes).toString('utf8') : value;
}

function decodeWord(encoding: string, text: string): Buffer {
  if (encoding === 'B') return Buffer.from(text, 'base64');
  const decoded = text
    .replaceAll('_', ' ')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(decoded, 'latin1');
}

export interface ReadMailbox {
  readonly name: string | null;
  readonly address: string;
}

/** The mailboxes of an unfolded header (RFC 5322 §3.4), without groups. Null if it has anything else. */
export function readMailboxes(value: string): readonly ReadMailbox[] | null {
  const mailboxes = splitOutsideQuotes(value).map((part) => readMailbox(part.trim()));
  return mailboxes.some((mailbox) => mailbox === null) ? null : mailboxes.filter((mailbox) => mailbox !== null);
}

/** At the commas that are neither in quotes nor in angle brackets. */
function splitOutsideQuotes(value: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const character = value[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, value.slice(start)];
}

function readMailbox(text: string): ReadMailbox | null {
  if (!text.endsWith('>')) return isAddress(text) ? { name: null, address: text } : null;
  const open = lastBracket(text);
  const address = text.slice(open + 1, -1);
  // The address has no angle brackets, except in a quoted local part.
  if (open < 0 || !/^(?:"(?:[^"\\]|\\.)*"|[^<>"])+$/.test(address)) return null;
  const phrase = text.slice(0, open).trimEnd();
  if (phrase === '') return { name: null, address };
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(phrase)?.[1];
  return { name: quoted === undefined ? readEncodedText(phrase) : quoted.replace(/\\(.)/g, '$1'), address };
}

/** Where the last angle bracket opens outside quotes; -1 if none does. */
function lastBracket(text: string): number {
  let last = -1;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === '<' && !isQuoted) last = at;
  }
  return last;
}

function isAddress(text: string): boolean {
  const at = text.indexOf('@');
  return at > 0 && at < text.length - 1 && !/[\s<>",]/.test(text);
}
