import { createHash } from 'node:crypto';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../output/json-value.ts';
import { type ReceiptVerdict, refuse } from './open-receipt.ts';

type Refusal = Extract<ReceiptVerdict, { ok: false }>;

/**
 * Compares an exported hold with its receipt, by the hash over everything that was approved. The digests of the files are those of the
 * receipt, which the hash covers too. Null if they match.
 */
export function compareMessage(message: JsonRecord, claims: JsonRecord): Refusal | null {
  for (const [name, own] of [
    ['approvalId', 'id'],
    ['emailId', 'emailId'],
  ] as const) {
    if (message[own] !== claims[name]) return refuse('message', 'The message is not the one that it names.');
  }
  if (hashOf(message, claims) === claims['contentHash']) return null;
  return refuse('message', 'The content of the message is not what it states.');
}

/** Whether the receipt lists a file with this content. */
export function compareFile(name: string, content: Uint8Array, claims: JsonRecord): Refusal | null {
  const digest = createHash('sha256').update(content).digest('hex');
  if (recordsOf(claims['files']).some(({ sha256 }) => sha256 === digest)) return null;
  return refuse('file', `It lists no file with the content of ${name}.`);
}

/** The same as on the server. */
function hashOf(message: JsonRecord, claims: JsonRecord): string {
  const digests = recordsOf(claims['files']);
  const canonical = [
    ...[message['from'], message['replyTo'], message['subject'], message['html'], message['text']],
    ...[message['unsubscribe'], claims['scheduledAt']],
    ['to', 'cc', 'bcc'].flatMap((kind) => textsOf(message[kind]).map((mailbox) => [kind, ...splitMailbox(mailbox)])),
    Object.entries(isRecord(message['headers']) ? message['headers'] : {}).sort(([a], [b]) => (a < b ? -1 : 1)),
    recordsOf(message['attachments']).map(({ filename, contentType }, index) => {
      const { contentId, sha256 } = digests[index] ?? {};
      return [filename, contentType, contentId, sha256];
    }),
  ];
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex');
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

/** The name, or null, and the address of `a@b.c`, `Name <a@b.c>` or `"Name, Jr." <a@b.c>`. */
function splitMailbox(mailbox: string): readonly [string | null, string] {
  const found = /^(.*) <([^<>]+)>$/s.exec(mailbox);
  if (found === null) return [null, mailbox];
  const [, name = '', address = ''] = found;
  const quoted = /^"(.*)"$/s.exec(name)?.[1];
  return [quoted === undefined ? name : quoted.replace(/\\(["\\])/g, '$1'), address];
}
