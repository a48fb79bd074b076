import { foldAddress, parseMailbox } from '@postrider/core';

/**
 * The address of a field such as `rfc822; ann@example.com` (RFC 3464, section 2.1.2), normalized, its domain as
 * A-labels. Also parses a bare `<ann@example.com>`. Null if it is not an address that mail could have been sent to.
 */
export function readReportedAddress(value: string): string | null {
  const [, type, typed] = /^\s*([A-Za-z0-9-]+)\s*;(.*)$/s.exec(value) ?? [];
  if (type !== undefined && !/^(rfc822|utf-8)$/i.test(type)) return null;
  const given = (typed ?? value).trim().replace(/^<([^<>]*)>$/, '$1');
  // RFC 6533, section 3: encoded characters.
  const text = given.replace(/\\x\{([0-9A-Fa-f]{2,6})\}/g, (whole, hex: string) => {
    const point = Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
  const verdict = parseMailbox(text);
  return verdict.ok && verdict.mailbox.name === null ? foldAddress(verdict.mailbox.address) : null;
}
