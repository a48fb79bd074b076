import { decodeBytes } from '../smtp-submission/decode-content.ts';
import type { MimePart } from '../smtp-submission/read-mime.ts';
import type { DeliveryReport, ReportedRecipient } from './inbound-report.ts';
import { readReportedAddress } from './reported-address.ts';

/** The text before the copy of the message is short. */
const MAX_BYTES = 64 * 1024;
const MAX_RECIPIENTS = 200;

/**
 * Parses a bounce of qmail and its descendants, in the format documented as QSBMF: paragraphs, the first starting with
 * `Hi. This is the`, then one for each recipient that starts with `<address>:`, and one that starts with `-` before the
 * copy of the message. Null if it is not in this format.
 */
export function readQmailBounce(mail: MimePart): DeliveryReport | null {
  const text = decodeBytes(mail).subarray(0, MAX_BYTES).toString('utf8').replaceAll('\r\n', '\n');
  if (!text.startsWith('Hi. This is the ')) return null;
  const recipients: ReportedRecipient[] = [];
  for (const paragraph of text.split(/\n{2,}/, MAX_RECIPIENTS)) {
    if (paragraph.startsWith('-')) break;
    const [, address, words] = /^<([^\n]*)>:\n([\s\S]+)$/.exec(paragraph) ?? [];
    if (address === undefined || words === undefined) continue;
    const known = readReportedAddress(address);
    recipients.push({
      addresses: known === null ? [] : [known],
      action: 'failed',
      status: /\(#([45]\.\d{1,3}\.\d{1,3})\)/.exec(words)?.[1] ?? null,
      diagnostic: words.trim(),
    });
  }
  return recipients.length === 0 ? null : { kind: 'delivery_status', recipients };
}
