import { foldAddress, formatMailbox } from '@postrider/core';
import { decodeWords } from 'postal-mime';
import { MessageFault } from './message-fault.ts';
import { passedHeaders } from './own-headers.ts';
import { readAddressList, type ShownMailbox } from './read-address-list.ts';
import { type ReadFile, readContent } from './read-content.ts';
import { findField, type HeaderField } from './read-header-fields.ts';
import { readMime } from './read-mime.ts';

/** The input of a send request, as its schema expects it. Only the recipients are already validated. */
export interface SubmittedInput {
  readonly to: readonly string[];
  readonly cc?: readonly string[];
  readonly bcc?: readonly string[];
  readonly [field: string]: unknown;
}

/** A submitted message as a send request, before schema validation, and the data that is not part of the request. */
export interface SubmittedSend {
  readonly input: SubmittedInput;
  /** The header with that name; null if absent. */
  readonly idempotencyKey: string | null;
}

/**
 * Converts a message to a send request. Only the envelope decides who receives it: mailboxes in To and Cc are kept if
 * they are in the envelope, and envelope addresses that are in neither become blind copies.
 * @param raw lines end in CRLF
 * @param envelope strictly parsed addresses, without duplicates
 * @throws MessageFault if it cannot be parsed, or could not be passed on without loss.
 */
export function toSendRequest(raw: Buffer, envelope: readonly string[]): SubmittedSend {
  const message = readMime(raw);
  const { fields } = message;
  const { text, html, files } = readContent(message);
  const replyTo = readReplyTo(fields);
  const headers = { ...readPassed(fields), ...replyTo.header };
  const input: SubmittedInput = {
    from: readSender(fields),
    ...assignRecipients(fields, envelope),
    ...given('subject', textOf(fields, 'subject')),
    ...given('html', html || null),
    // An empty text next to html would disable the derived text, which no one who writes mail has asked for.
    ...given('text', text === '' && html ? null : text),
    ...given('reply_to', replyTo.mailbox),
    ...given('agent_name', textOf(fields, 'x-service-agent')),
    ...given('source', textOf(fields, 'x-service-source')),
    ...given('tags', readTags(fields)),
    ...given('attachments', files.length === 0 ? null : files.map(toAttachment)),
    ...given('headers', Object.keys(headers).length === 0 ? null : headers),
  };
  return { input, idempotencyKey: textOf(fields, 'idempotency-key') };
}

function given(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === null ? {} : { [name]: value };
}

function textOf(fields: readonly HeaderField[], key: string): string | null {
  const field = findField(fields, key);
  // A tab is white space in a header, but header values may not contain one here.
  return field === null ? null : decodeWords(field.value).replaceAll('\t', ' ');
}

/** RFC 5322 §3.6.2: From is one mailbox here, and a Sender header may only repeat it. */
function readSender(fields: readonly HeaderField[]): string {
  const [from] = requireMailboxes(fields, 'from', 'From');
  if (from === undefined) throw new MessageFault('From', 'is required');
  const sender = findField(fields, 'sender');
  if (sender === null) return formatMailbox(from);
  const [named] = requireMailboxes(fields, 'sender', 'Sender');
  if (named === undefined || foldAddress(named.address) !== foldAddress(from.address)) {
    throw new MessageFault('Sender', 'differs from `From`, which alone sets the sender; leave it out');
  }
  return formatMailbox(from);
}

function requireMailboxes(fields: readonly HeaderField[], key: string, name: string): readonly ShownMailbox[] {
  const field = findField(fields, key);
  if (field === null) return [];
  const { mailboxes, others, hasGroup } = readAddressList(name, field.value);
  if (mailboxes.length !== 1 || others.length > 0 || hasGroup) {
    throw new MessageFault(name, 'must be exactly one address, `a@b.c` or `Name <a@b.c>`');
  }
  return mailboxes;
}

interface Recipients {
  readonly to: string[];
  readonly cc?: string[];
  readonly bcc?: string[];
}

function assignRecipients(fields: readonly HeaderField[], envelope: readonly string[]): Recipients {
  const left = new Map(envelope.map((address) => [foldAddress(address), address]));
  const take = (key: string) =>
    fields
      .filter((field) => field.key === key)
      .flatMap(({ name, value }) => readAddressList(name, value).mailboxes)
      .flatMap(({ name, address }) => {
        // The envelope's spelling is the one that is sent.
        const wanted = left.get(foldAddress(address));
        left.delete(foldAddress(address));
        return wanted === undefined ? [] : [formatMailbox({ name, address: wanted })];
      });
  const to = take('to');
  const cc = take('cc');
  const bcc = [...left.values()];
  return { to, ...(cc.length > 0 ? { cc } : {}), ...(bcc.length > 0 ? { bcc } : {}) };
}

/** One mailbox becomes the request's own field. Several do not fit there and remain a header. */
function readReplyTo(fields: readonly HeaderField[]): {
  readonly mailbox: string | null;
  readonly header: Readonly<Record<string, string>>;
} {
  const field = findField(fields, 'reply-to');
  if (field === null || field.value === '') return { mailbox: null, header: {} };
  const { mailboxes, others } = readAddressList('Reply-To', field.value);
  if (others.length > 0) throw new MessageFault('Reply-To', 'contains something that is not an address');
  const [first, second] = mailboxes;
  if (first !== undefined && second === undefined) return { mailbox: formatMailbox(first), header: {} };
  return { mailbox: null, header: { [field.name]: field.value } };
}

function readTags(fields: readonly HeaderField[]): readonly string[] | null {
  const tags = fields
    .filter(({ key }) => key === 'x-tag')
    .flatMap(({ value }) => decodeWords(value).split(','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return tags.length === 0 ? null : tags;
}

/** Encoded words in them stay unchanged: their syntax is the sender's. */
function readPassed(fields: readonly HeaderField[]): Readonly<Record<string, string>> {
  const passed = passedHeaders(fields);
  const seen = new Set<string>();
  for (const { name, key } of passed) {
    if (seen.has(key))
      throw new MessageFault(name, 'must not be repeated, because a request can contain each header only once');
    // A map in the request cannot contain this name and would silently drop it.
    if (key === '__proto__') throw new MessageFault(name, 'cannot be used as a header name');
    seen.add(key);
  }
  return Object.fromEntries(passed.map(({ name, value }) => [name, value]));
}

function toAttachment({ filename, contentType, contentId, content }: ReadFile) {
  return {
    filename,
    content: content.toString('base64'),
    content_type: contentType,
    ...(contentId === null ? {} : { content_id: contentId }),
  };
}
