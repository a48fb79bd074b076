/** RFC 9110 token, and field content without line breaks. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Joins header lists into one by lower-case name; later lists win, undefined values are left out. Throws a TypeError that names the
 * header and never its value: platforms quote the value in their own error, and that could be the API key.
 */
export function mergeHeaders(...lists: readonly Readonly<Record<string, unknown>>[]): Record<string, string> {
  const merged = new Map<string, string>();
  for (const [given, value] of lists.flatMap((list) => Object.entries(list))) {
    if (value === undefined) continue;
    const name = given.toLowerCase();
    if (!HEADER_NAME.test(name)) throw new TypeError('a header name contains characters that are not allowed');
    if (typeof value === 'object' || !HEADER_VALUE.test(String(value))) {
      throw new TypeError(`the header ${name} contains characters that are not allowed`);
    }
    merged.set(name, String(value));
  }
  return Object.fromEntries(merged);
}
