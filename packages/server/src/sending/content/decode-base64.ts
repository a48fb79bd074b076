/**
 * Decodes base64 of RFC 4648 §4, strictly: padded, without foreign characters. Line breaks, blanks and tabs are allowed anywhere, because
 * many encoders write lines. Null where it is anything else: half a file would be worse than none.
 */
export function decodeBase64(given: string): Buffer | null {
  const text = /[\s]/.test(given) ? given.replace(/[\r\n\t ]+/g, '') : given;
  // The decoder also reads the URL alphabet, and letters outside of ASCII by their low byte.
  if (text.length % 4 !== 0 || text.includes('-') || text.includes('_')) return null;
  if (Buffer.byteLength(text) !== text.length) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(text, 'base64');
  // It skips what it does not know, and stops at padding: each such character makes the result shorter.
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : null;
}
