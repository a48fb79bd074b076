import { domainToUnicode } from 'node:url';

/** Whether a name has a label that begins with `xn--` and is no punycode (RFC 3492); it can be nobody's. What cannot be decoded stays as it is. */
export function hasFalsePunycode(name: string): boolean {
  const unicode = domainToUnicode(name);
  return unicode === '' || unicode.split('.').some((label) => label.startsWith('xn--'));
}
