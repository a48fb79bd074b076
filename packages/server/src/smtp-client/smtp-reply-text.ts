import type { ServerReply } from './transport.ts';

const MAX_TEXT_CHARACTERS = 1_000;

// RFC 2034: the enhanced code stands at the head of the text, on every line of a multi-line reply.
const ENHANCED_CODE = /^([245]\.\d{1,3}\.\d{1,3})(?=\s|$)\s*/;

// Line and tab controls, C0 and C1, the line separators, and the characters that hide text or turn its direction: the
// text is shown in terminals, tables and to models.
const UNWANTED_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is to be found.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/**
 * Makes the stored form of a reply.
 *
 * @param text what the reply parser gave: lines joined by `\n`, one character for each octet.
 * @param aboutRecipient see ServerReply.
 */
export function toServerReply(code: number, text: string, server: string | null, aboutRecipient: boolean): ServerReply {
  const enhanced = ENHANCED_CODE.exec(text)?.[1] ?? null;
  return { code, enhanced, text: foldReplyText(text), server, aboutRecipient };
}

/**
 * One line of words: UTF-8 decoded, unwanted characters out, at most 1,000 characters. The enhanced code stays at the
 * head, as the server said it, and goes from the lines that only repeat it.
 */
export function foldReplyText(text: string): string {
  const words = decodeUtf8(text)
    .split('\n')
    .map((line, index) => (index === 0 ? line : line.replace(ENHANCED_CODE, '')))
    .join(' ')
    .replace(UNWANTED_CHARACTERS, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (words.length <= MAX_TEXT_CHARACTERS) return words;
  // A cut through a surrogate pair would leave half a character, which Postgres refuses.
  return words.slice(0, MAX_TEXT_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}

/** The name with which a greeting or an EHLO reply begins (RFC 5321, section 4.2), or null where it is no such name. */
export function readServerName(text: string): string | null {
  return /^[A-Za-z0-9._:[\]-]{1,255}(?=\s|$)/.exec(text)?.[0] ?? null;
}

function decodeUtf8(octets: string): string {
  return /[\u0080-\u00ff]/.test(octets) ? Buffer.from(octets, 'latin1').toString('utf8') : octets;
}
