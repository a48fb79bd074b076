/** Headers the service writes itself, that name more recipients, or that would let a sender forge what receivers trust. */
const RESERVED_HEADERS = [
  ...['From', 'To', 'Cc', 'Bcc', 'Sender', 'Date', 'Subject', 'Message-ID', 'MIME-Version', 'Apparently-To'],
  ...['Received', 'Received-SPF', 'Return-Path', 'Delivered-To', 'DKIM-Signature', 'DomainKey-Signature'],
  'Authentication-Results',
];
/** Of these every header that begins so: a relay may send to whom `Resent-To` and `Resent-Bcc` name. */
const RESERVED_FAMILIES = ['Content-', 'Resent-', 'ARC-'];

const RESERVED = new Set(RESERVED_HEADERS.map((name) => name.toLowerCase()));
const FAMILIES = RESERVED_FAMILIES.map((family) => family.toLowerCase());
/** All of them, in words. */
export const RESERVED_NAMES = [...RESERVED_HEADERS, ...RESERVED_FAMILIES.map((family) => `${family}*`)].join(', ');

/** Whether a header, in any case, is not the sender's to give. */
export function isReservedHeader(name: string): boolean {
  const folded = name.toLowerCase();
  return RESERVED.has(folded) || FAMILIES.some((family) => folded.startsWith(family));
}
