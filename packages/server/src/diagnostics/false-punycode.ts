import { domainToUnicode } from 'node:url';

/**
 * Whether a name has a label that starts with `xn--` but is not valid punycode (RFC 3492). Such a name cannot be
 * registered, and it stays unchanged when decoding fails.
 */
export function hasFalsePunycode(name: string): boolean {
  const unicode = domainToUnicode(name);
  return unicode === '' || unicode.split('.').some((label) => label.startsWith('xn--'));
}
