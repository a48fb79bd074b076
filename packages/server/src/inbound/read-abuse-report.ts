import { decodeBytes } from '../smtp-submission/decode-content.ts';
import type { MimePart } from '../smtp-submission/read-mime.ts';
import { firstOf, readFieldGroups } from './field-groups.ts';
import type { AbuseReport } from './inbound-report.ts';
import { readReportedAddress } from './reported-address.ts';
import type { ReturnedMessage } from './returned-message.ts';

const MAX_ADDRESSES = 100;

/** Parses the machine-readable part of an abuse report (RFC 5965). Null if it has no feedback type. */
export function readAbuseReport(part: MimePart, returned: ReturnedMessage): AbuseReport | null {
  const [fields] = readFieldGroups(decodeBytes(part));
  const type = fields === undefined ? null : firstOf(fields, 'feedback-type');
  if (fields === undefined || type === null) return null;
  const given = [
    ...(fields.get('original-mail-from') ?? []),
    ...(returned.fields.get('return-path') ?? []),
    ...(returned.fields.get('x-original-mail-from') ?? []),
  ];
  return {
    kind: 'abuse',
    feedbackType: type.toLowerCase(),
    reporter: firstOf(fields, 'user-agent'),
    addresses: (fields.get('original-rcpt-to') ?? [])
      .slice(0, MAX_ADDRESSES)
      .flatMap((value) => readReportedAddress(value) ?? []),
    returnPaths: given.slice(0, MAX_ADDRESSES).flatMap((value) => readReportedAddress(value) ?? []),
  };
}
