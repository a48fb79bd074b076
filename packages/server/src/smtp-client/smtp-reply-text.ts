import type { ServerReply } from './transport.ts';

const MAX_TEXT_CHARACTERS = 1_000;

// RFC 2034: the enhanced code is at the start of the text, on every line of a multi-line reply.
const ENHANCED_CODE = /^([245]\.\d{1,3}\.\d{1,3})(?=\s|$)\s*/;

// Line and tab controls, C0 and C1, line separators, and characters that hide text or change its direction. The text is
// shown in terminals, in tables and to language models.
const UNWANTED_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is to be found.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/**
 * Builds the stored form of a reply.
 *
 * @param text the text from the reply parser: lines joined by `\n`, one character per byte.
 * @param aboutRecipient see ServerReply.
 */
export function toServerReply(code: number, text: string, server: string | null, aboutRecipient: boolean): ServerReply {
  const enhanced = ENHANCED_CODE.exec(text)?.[1] ?? null;
  const reply = { code, enhanced, text: foldReplyText(text), server, aboutRecipient };
  return text.includes('\n') ? { ...reply, lines: toLines(code, text) } : reply;
}

/** The lines with their codes, each without unsafe characters, together at most 1,000 characters. */
function toLines(code: number, text: string): readonly string[] {
  const given = decodeUtf8(text).split('\n');
  const lines: string[] = [];
  let left = MAX_TEXT_CHARACTERS;
  for (const [index, words] of given.entries()) {
    const line = cutTo(left, withoutUnwanted(`${code}${index < given.length - 1 ? '-' : ' '}${words}`));
    if (line === '') break;
    lines.push(line);
    left -= line.length + 1;
  }
  return lines;
}

/** Each line with its code, without unsafe characters, cut to the limits. */
export function toReplyLines(code: number, text: string, maxLines: number, maxCharacters: number): string[] {
  const given = decodeUtf8(text).split('\n');
  return given.slice(0, maxLines).map((words, index) => {
    const separator = index < given.length - 1 ? '-' : ' ';
    return cutTo(maxCharacters, withoutUnwanted(`${code}${separator}${words}`));
  });
}

/**
 * One line of text: decoded as UTF-8, without unsafe characters, at most 1,000 characters. The enhanced code stays at
 * the start as the server sent it; on later lines that repeat it, it is removed.
 */
export function foldReplyText(text: string): string {
  const words = decodeUtf8(text)
    .split('\n')
    .map((line, index) => (index === 0 ? line : line.replace(ENHANCED_CODE, '')))
    .join(' ');
  return cutTo(MAX_TEXT_CHARACTERS, withoutUnwanted(words));
}

function withoutUnwanted(text: string): string {
  return text.replace(UNWANTED_CHARACTERS, ' ').replace(/\s+/g, ' ').trim();
}

function cutTo(characters: number, text: string): string {
  if (text.length <= characters) return text;
  // Cutting through a surrogate pair would leave half a character, which Postgres rejects.
  return text.slice(0, Math.max(0, characters)).replace(/[\ud800-\udbff]$/, '');
}

/** The server name at the start of a greeting or an EHLO reply (RFC 5321, section 4.2), or null if there is no valid name. */
export function readServerName(text: string): string | null {
  return /^[A-Za-z0-9._:[\]-]{1,255}(?=\s|$)/.exec(text)?.[0] ?? null;
}

function decodeUtf8(bytes: string): string {
  return /[\u0080-\u00ff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
