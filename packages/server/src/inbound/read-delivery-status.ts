import { decodeBytes } from '../smtp-submission/decode-content.ts';
import type { MimePart } from '../smtp-submission/read-mime.ts';
import { type Fields, firstOf, readFieldGroups } from './field-groups.ts';
import type { DeliveryReport, ReportedRecipient } from './inbound-report.ts';
import { readReportedAddress } from './reported-address.ts';

const ACTIONS: readonly string[] = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'];

/** Parses the machine-readable part of a delivery status notification (RFC 3464, RFC 6533). Null if it contains no recipient. */
export function readDeliveryStatus(part: MimePart): DeliveryReport | null {
  // The first group is about the message, except from servers that omit it.
  const recipients = readFieldGroups(decodeBytes(part)).flatMap((group) => readRecipient(group) ?? []);
  return recipients.length === 0 ? null : { kind: 'delivery_status', recipients };
}

function readRecipient(group: Fields): ReportedRecipient | null {
  // A word after the action is a comment, like text in parentheses.
  const action = /^[a-z]+/.exec(firstOf(group, 'action')?.toLowerCase() ?? '')?.[0] ?? '';
  if (!isAction(action)) return null;
  const original = firstOf(group, 'original-recipient');
  const final = firstOf(group, 'final-recipient');
  const named = [original, original === null ? null : fromXtext(original), final].filter((value) => value !== null);
  if (named.length === 0) return null;
  return {
    addresses: [...new Set(named.flatMap((value) => readReportedAddress(value) ?? []))],
    action,
    status: /^[245]\.\d{1,3}\.\d{1,3}(?!\d)/.exec(firstOf(group, 'status') ?? '')?.[0] ?? null,
    diagnostic: firstOf(group, 'diagnostic-code') ?? '',
  };
}

/** RFC 3461, section 4: many servers repeat the address in the encoding they received it in. */
function fromXtext(text: string): string {
  return text.replace(/\+([2-7][0-9A-F])/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function isAction(text: string): text is ReportedRecipient['action'] {
  return ACTIONS.includes(text);
}
