/** Headers that the service writes itself, that add recipients, or that receivers trust and a sender could forge. */
const RESERVED_HEADERS = [
  ...['From', 'To', 'Cc', 'Bcc', 'Sender', 'Date', 'Subject', 'Message-ID', 'MIME-Version', 'Apparently-To'],
  ...['Received', 'Received-SPF', 'Return-Path', 'Delivered-To', 'DKIM-Signature', 'DomainKey-Signature'],
  ...['Authentication-Results', 'X-SMTPAPI'],
];
/**
 * Prefixes of reserved headers. A relay may send a copy to the addresses in `Resent-To` and `Resent-Bcc`. Those with `X-` are commands to the
 * relays of email services, as `X-SMTPAPI` is: they add recipients or replace the content, which no rule of a key would see.
 */
const RESERVED_FAMILIES = ['Content-', 'Resent-', 'ARC-', 'X-MC-', 'X-MJ-', 'X-MSYS-', 'X-Mailgun-'];

const RESERVED = new Set(RESERVED_HEADERS.map((name) => name.toLowerCase()));
const FAMILIES = RESERVED_FAMILIES.map((family) => family.toLowerCase());
/** The names and prefixes, for error messages. */
export const RESERVED_NAMES = [...RESERVED_HEADERS, ...RESERVED_FAMILIES.map((family) => `${family}*`)].join(', ');

/** Whether callers may not set a header. Ignores case. */
export function isReservedHeader(name: string): boolean {
  const folded = name.toLowerCase();
  return RESERVED.has(folded) || FAMILIES.some((family) => folded.startsWith(family));
}
