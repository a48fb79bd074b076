import { parseMailbox } from '@postrider/core';
import PostalMime, { addressParser, type Email } from 'postal-mime';
import { threadJob } from '../../threads/thread-job.ts';
import { type PlacedField, type PlacedMessage, valuesOf } from './placed-message.ts';

/** Deeper than any mail program nests, and shallow enough to be cheap. */
const MAX_NESTING = 30;

/** Lines and parts cost the parser more than their length suggests, so they add to the size that counts. */
export const RAW_MESSAGE_WEIGHT = 8;

export const READ_RAW_MESSAGE = threadJob(import.meta.url, 'READ_RAW_MESSAGE', readRawMessage);

/** Parses a whole message. Never throws: what cannot be parsed becomes a finding. */
export async function readRawMessage(text: string): Promise<PlacedMessage> {
  // Editors and JSON change line endings; signatures were made over CRLF.
  const raw = Buffer.from(text.replace(/\r\n|\r|\n/g, '\r\n'), 'utf8');
  const fields = readFields(raw);
  const email = await parse(raw);
  return {
    raw,
    fields,
    from: readSender(valuesOf(fields, 'from')),
    subject: email?.subject ?? valuesOf(fields, 'subject')[0] ?? null,
    html: email?.html ?? null,
    text: email?.text ?? null,
    filenames: email?.attachments.flatMap(({ filename }) => (filename === null ? [] : [filename])) ?? [],
    isUnreadable: email === null,
  };
}

async function parse(raw: Buffer): Promise<Email | null> {
  try {
    return await PostalMime.parse(raw, { maxNestingDepth: MAX_NESTING });
  } catch {
    return null;
  }
}

function readFields(raw: Buffer): readonly PlacedField[] {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.subarray(0, end === -1 ? raw.length : end).toString('utf8');
  return head.split(/\r\n(?![ \t])/).flatMap((lines) => {
    const [, name, value = ''] = /^([!-9;-~]+)[ \t]*:(.*)$/s.exec(lines) ?? [];
    if (name === undefined) return [];
    return [{ name: name.toLowerCase(), value: value.replace(/\r\n[ \t]+/g, ' ').trim(), size: lines.length }];
  });
}

/** The only sender, as DMARC uses it. */
function readSender(values: readonly string[]): PlacedMessage['from'] {
  const [address] = sendersOf(values);
  const mailbox = address === undefined ? null : parseMailbox(address);
  return mailbox?.ok ? { address: mailbox.mailbox.address, domain: mailbox.mailbox.domain } : null;
}

/** Every address in From. */
export function sendersOf(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => addressParser(value, { flatten: true })).map(({ address }) => address ?? '');
}
