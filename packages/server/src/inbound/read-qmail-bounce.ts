import { decodeBytes } from '../smtp-submission/decode-content.ts';
import type { MimePart } from '../smtp-submission/read-mime.ts';
import type { DeliveryReport, ReportedRecipient } from './inbound-report.ts';
import { readReportedAddress } from './reported-address.ts';

/** What stands before the copy of the message is short. */
const MAX_BYTES = 64 * 1024;
const MAX_RECIPIENTS = 200;

/**
 * Reads a bounce of qmail and its descendants, whose form is written down as QSBMF: paragraphs, the first beginning `Hi. This is the`, then
 * one for each recipient that begins `<address>:`, and one that begins with `-` before the copy of the message. Null where it is none.
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
