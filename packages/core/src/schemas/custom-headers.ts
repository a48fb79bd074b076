import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { headerText } from './text.ts';

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
const RESERVED_NAMES = [...RESERVED_HEADERS, ...RESERVED_FAMILIES.map((family) => `${family}*`)].join(', ');

/** Whether a header, in any case, is not the sender's to give. */
export function isReservedHeader(name: string): boolean {
  const folded = name.toLowerCase();
  return RESERVED.has(folded) || FAMILIES.some((family) => folded.startsWith(family));
}

/** RFC 5322 ftext without the colon. */
const HEADER_NAME = /^[!-9;-~]+$/;

export const customHeadersSchema = z
  .record(z.string(), headerText(0, LIMITS.headerValueCharacters))
  .superRefine((headers, context) => {
    const names = Object.keys(headers);
    if (names.length > LIMITS.customHeaders) {
      const message = `must hold at most ${LIMITS.customHeaders} headers`;
      context.addIssue({ code: 'custom', message, params: { code: 'too_many' } });
    }
    const seen = new Set<string>();
    for (const name of names) {
      const problem = checkName(name, seen);
      if (problem) context.addIssue({ code: 'custom', path: [name], ...problem });
      seen.add(name.toLowerCase());
    }
  })
  .describe(
    `Additional headers of the message, by name; at most ${LIMITS.customHeaders}, values up to ${LIMITS.headerValueCharacters} characters. Reserved, and so refused: ${RESERVED_NAMES}.`,
  );

function checkName(
  name: string,
  seen: ReadonlySet<string>,
): { readonly message: string; readonly params: { readonly code: string } } | null {
  const folded = name.toLowerCase();
  if (!HEADER_NAME.test(name) || name.length > LIMITS.headerNameCharacters) {
    return {
      message: `is no header name (1 to ${LIMITS.headerNameCharacters} printable ASCII characters, no colon or space)`,
      params: { code: 'invalid_format' },
    };
  }
  if (isReservedHeader(name)) {
    return { message: 'is set by the service and cannot be given', params: { code: 'header_refused' } };
  }
  if (seen.has(folded)) return { message: 'is given twice, in different case', params: { code: 'duplicate' } };
  return null;
}
