import { type FindingCode, parseMailbox } from '@postrider/core';
import type { Findings } from '../findings.ts';
import { type PlacedMessage, valuesOf } from './placed-message.ts';
import { sendersOf } from './read-raw-message.ts';

type Found = Findings<FindingCode<'inbox-placement'>>;

/** RFC 5322 §3.6: at most one of each. */
const ONCE = ['date', 'sender', 'reply-to', 'to', 'cc', 'message-id', 'in-reply-to', 'references', 'subject'];
const DAY_MS = 86_400_000;

/** Checks the headers of a whole message; pure. */
export function judgeHeaders({ fields, raw }: PlacedMessage, now: Date, findings: Found): void {
  if (fields === null || raw === null) return;
  judgeFrom(valuesOf(fields, 'from'), findings);
  judgeDate(valuesOf(fields, 'date')[0], now, findings);
  judgeMessageId(valuesOf(fields, 'message-id')[0], findings);
  const hasRecipient = fields.some(({ name }) => name === 'to' || name === 'cc');
  if (!hasRecipient) findings.add('inbox_recipient_missing');
  const repeated = ONCE.filter((name) => valuesOf(fields, name).length > 1);
  if (repeated.length > 0) findings.add('inbox_header_repeated', `It is ${repeated.join(', ')}.`);
  const odd = fields.filter(({ value }) => /[^\t -~]/.test(value)).map(({ name }) => name);
  if (odd.length > 0) findings.add('inbox_header_not_ascii', `It is ${odd[0]}.`);
  if (hasLongLine(raw)) findings.add('inbox_line_too_long');
}

/** RFC 2369 and RFC 8058, as large receivers require. */
export function judgeUnsubscribe({ fields }: PlacedMessage, findings: Found): void {
  if (fields === null) return;
  const value = valuesOf(fields, 'list-unsubscribe').join(', ');
  const isOneClick = valuesOf(fields, 'list-unsubscribe-post').some((post) =>
    /^List-Unsubscribe=One-Click$/i.test(post),
  );
  const hasHttps = /<\s*https:\/\/[^\s<>]+\s*>/i.test(value);
  if (value === '') findings.add('inbox_unsubscribe_missing');
  else if (!hasHttps && !/<\s*mailto:[^\s<>@]+@[^\s<>]+\s*>/i.test(value)) findings.add('inbox_unsubscribe_invalid');
  else if (!isOneClick) findings.add('inbox_one_click_missing');
  if (isOneClick && !hasHttps) findings.add('inbox_one_click_without_https');
}

export function judgeSubject({ subject, fields }: PlacedMessage, findings: Found): void {
  if (subject === null || subject.trim() === '') {
    findings.add('inbox_subject_missing');
    return;
  }
  const upper = subject.match(/\p{Lu}/gu)?.length ?? 0;
  const lower = subject.match(/\p{Ll}/gu)?.length ?? 0;
  if (upper >= 8 && upper > 4 * lower) findings.add('inbox_subject_caps');
  const marks = subject.match(/[!?$€£]/g)?.length ?? 0;
  if (marks > 3 || /[!?$€£]{2}/.test(subject)) findings.add('inbox_subject_punctuation');
  const isReply = fields?.some(({ name }) => name === 'in-reply-to' || name === 'references') ?? true;
  if (!isReply && /^\s*(?:re|fwd?|aw|wg)\s*:/i.test(subject)) findings.add('inbox_subject_fake_reply');
}

function judgeFrom(values: readonly string[], findings: Found): void {
  const senders = sendersOf(values);
  if (values.length === 0) {
    findings.add('inbox_from_missing');
    return;
  }
  if (values.length > 1 || senders.length > 1) findings.add('inbox_from_several');
  if (senders.length === 0 || senders.some((sender) => !parseMailbox(sender).ok)) findings.add('inbox_from_invalid');
}

function judgeDate(value: string | undefined, now: Date, findings: Found): void {
  if (value === undefined) {
    findings.add('inbox_date_missing');
    return;
  }
  const ageMs = now.getTime() - Date.parse(value.replace(/\([^()]*\)/g, ''));
  // NaN if it cannot be parsed.
  if (!(ageMs >= -DAY_MS && ageMs <= 7 * DAY_MS)) findings.add('inbox_date_invalid', `It is \`${value}\`.`);
}

function judgeMessageId(value: string | undefined, findings: Found): void {
  if (value === undefined) findings.add('inbox_message_id_missing');
  else if (!/^<[^\s<>@]+@[^\s<>@]+>$/.test(value)) findings.add('inbox_message_id_invalid', `It is \`${value}\`.`);
}

const LINE_BYTES = 998;

function hasLongLine(raw: Buffer): boolean {
  let start = 0;
  for (let end = raw.indexOf('\r\n'); end !== -1; end = raw.indexOf('\r\n', start)) {
    if (end - start > LINE_BYTES) return true;
    start = end + 2;
  }
  return raw.length - start > LINE_BYTES;
}
