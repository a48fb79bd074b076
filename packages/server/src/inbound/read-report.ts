import { MessageFault } from '../smtp-submission/message-fault.ts';
import type { HeaderField } from '../smtp-submission/read-header-fields.ts';
import { type MimePart, readMime } from '../smtp-submission/read-mime.ts';
import type { InboundReport } from './inbound-report.ts';
import { readAbuseReport } from './read-abuse-report.ts';
import { readDeliveryStatus } from './read-delivery-status.ts';
import { readQmailBounce } from './read-qmail-bounce.ts';
import { readReturned } from './returned-message.ts';

/** A message passes about five servers; this many mean that it is in a loop (RFC 5321, section 6.3). */
const MAX_HOPS = 50;

/** A report, and the id of the mail it was in: what was returned may be one of our own messages. */
export interface ReadReport {
  readonly report: InboundReport;
  /** Without angle brackets; null if absent. */
  readonly mailId: string | null;
}

/**
 * Parses mail to a return path. Never throws: anything that cannot be parsed reliably is `unknown` or `malformed`, and
 * changes nothing.
 * @param raw lines end in CRLF
 */
export function readReport(raw: Buffer): ReadReport {
  const mail = parse(raw) ?? parse(toAscii(raw));
  if (mail === null) return { report: other('malformed'), mailId: null };
  const mailId = findValue(mail.fields, 'message-id')?.replace(/^<|>$/g, '') ?? null;
  if (mail.fields.filter(({ key }) => key === 'received').length > MAX_HOPS) return { report: other('loop'), mailId };
  try {
    return { report: readContent(mail), mailId };
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    return { report: other('malformed'), mailId };
  }
}

function parse(raw: Buffer): MimePart | null {
  try {
    return readMime(raw);
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    return null;
  }
}

/** Some servers put unencoded text in their own charset into a report. The relevant parts are ASCII. */
function toAscii(raw: Buffer): Buffer {
  return Buffer.from(raw.toString('latin1').replace(/[\x80-\xff]/g, '?'), 'latin1');
}

function readContent(mail: MimePart): InboundReport {
  const { contentType } = mail;
  if (contentType.value === 'multipart/report') {
    const returned = readReturned(mail);
    // No one may reply to a report (RFC 5321, section 4.5.5): a report about a report is the start of a loop.
    if (returned.isReport) return other('loop');
    const abuse = findPart(mail, ['message/feedback-report']);
    if (abuse !== null) return readAbuseReport(abuse, returned) ?? other('malformed');
    const status = findPart(mail, ['message/delivery-status', 'message/global-delivery-status']);
    if (status !== null) return readDeliveryStatus(status) ?? other('malformed');
    return other('unknown');
  }
  const bounce = contentType.value === 'text/plain' ? readQmailBounce(mail) : null;
  return bounce ?? other(isAutomatic(mail.fields) ? 'auto_reply' : 'unknown');
}

/** Also handles a list server that has wrapped the parts again. */
function findPart(part: MimePart, types: readonly string[]): MimePart | null {
  for (const child of part.parts) {
    if (types.includes(child.contentType.value)) return child;
    if (child.contentType.value !== 'multipart/mixed') continue;
    const found = findPart(child, types);
    if (found !== null) return found;
  }
  return null;
}

/** RFC 3834, section 5, and older conventions. */
function isAutomatic(fields: readonly HeaderField[]): boolean {
  const submitted = findValue(fields, 'auto-submitted')?.toLowerCase() ?? 'no';
  if (submitted !== 'no') return true;
  if (/^(auto[-_]reply|bulk|junk)\b/i.test(findValue(fields, 'precedence') ?? '')) return true;
  return fields.some(({ key }) => /^x-auto(reply|respond|-?response)/.test(key) && key !== 'x-auto-response-suppress');
}

function findValue(fields: readonly HeaderField[], key: string): string | null {
  return fields.find((field) => field.key === key)?.value ?? null;
}

function other(outcome: 'auto_reply' | 'loop' | 'malformed' | 'unknown'): InboundReport {
  return { kind: 'other', outcome };
}
