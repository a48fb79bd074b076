import { Readable } from 'node:stream';
import type { Approval } from '@postrider/core';
import { type Pictures, QUIET_HTML_WITH } from '../../console/quiet-html.ts';
import type { Query } from '../../db/client.ts';
import { type FileFacts, listInlineFiles, readFileContent, readFileFacts } from '../../db/queries/held-file.ts';
import type { JobThreads } from '../../threads/job-threads.ts';
import { serveFile } from '../held-file.ts';
import { HTML_TEXT } from '../held-review.ts';
import type { Excerpt } from './view/shown-hold.ts';

/** A part of a held message as a response of its own: nothing in it is ever a page of this server. */
export interface HeldContent {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

export interface HeldContentTools {
  /** Of the message's account only. */
  readonly sql: Query;
  readonly threads: JobThreads;
  readonly accountId: string;
}

type Message = Pick<Approval, 'emailId' | 'keyId' | 'html' | 'text'>;

/**
 * For a file from a sender: nothing in it runs or loads anything. Browsers' PDF viewers need no source, but do not start in a `sandbox`.
 */
const HELD_FILE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; object-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** For HTML from a sender: styles and embedded images show, nothing runs, and nothing is loaded, so the sender cannot detect the view. */
const HELD_BODY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox";

/** The same after the reader has asked for pictures. Only they are loaded, over TLS, and without a referrer. */
const HELD_BODY_POLICY_WITH_PICTURES = HELD_BODY_POLICY.replace('img-src data:', 'img-src data: https:');

const QUIET_HEADERS = { 'x-dns-prefetch-control': 'off', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' };

/** The HTML for the frame. */
export async function serveHeldHtml(
  tools: HeldContentTools,
  message: Message,
  areRemote: boolean,
): Promise<HeldContent> {
  const { threads, accountId } = tools;
  const html = message.html ?? '';
  const pictures: Pictures = { areRemote, attached: await attachedPictures(tools, message) };
  const owner = { accountId, keyId: message.keyId };
  const quiet = await threads.run(owner, QUIET_HTML_WITH, { html, pictures }, html.length);
  return {
    status: quiet.kind === 'done' ? 200 : 503,
    contentType: 'text/html; charset=utf-8',
    headers: {
      ...QUIET_HEADERS,
      'content-security-policy': areRemote ? HELD_BODY_POLICY_WITH_PICTURES : HELD_BODY_POLICY,
    },
    body: quiet.kind === 'done' ? quiet.output : BUSY,
  };
}

/** The whole text, for one that is too long for the page: the plain text, or all text in the HTML. */
export async function serveHeldText(
  { threads, accountId }: HeldContentTools,
  message: Approval,
  isOfHtml: boolean,
): Promise<HeldContent> {
  const plain = { contentType: 'text/plain; charset=utf-8', headers: { ...QUIET_HEADERS, ...FILE_HEADERS } };
  if (!isOfHtml) return { ...plain, status: 200, body: message.text ?? '' };
  const owner = { accountId, keyId: message.keyId };
  const text = await threads.run(owner, HTML_TEXT, message, message.html?.length ?? 0);
  return text.kind === 'done' ? { ...plain, status: 200, body: text.output } : { ...plain, status: 503, body: BUSY };
}

const BUSY = 'The server is busy. Load this page again in a moment.';

const FILE_HEADERS = {
  'content-security-policy': HELD_FILE_POLICY,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** One attached file; null if there is none at this address. */
export async function serveHeldFile(
  { sql, accountId }: HeldContentTools,
  { emailId }: Pick<Message, 'emailId'>,
  index: number | null,
): Promise<HeldContent | null> {
  const file = index === null ? null : await readFileFacts(sql, accountId, emailId, index);
  if (file === null) return null;
  const { contentType, disposition } = serveFile(file.filename, file.contentType);
  return {
    status: 200,
    contentType,
    headers: {
      ...QUIET_HEADERS,
      ...FILE_HEADERS,
      'content-length': String(file.size),
      'content-disposition': disposition,
    },
    body: Readable.from(readFileContent(sql, accountId, emailId, file)),
  };
}

const EXCERPT_BYTES = 20_000;
/** Of one message. */
const EXCERPTS_MAX = 5;

/** The beginnings of attached texts, which the page shows. */
export async function readExcerpts(
  { sql, accountId }: HeldContentTools,
  { emailId, attachments }: Pick<Approval, 'emailId' | 'attachments'>,
): Promise<Readonly<Record<number, Excerpt>>> {
  const texts = attachments.flatMap(({ filename, contentType }, index) =>
    serveFile(filename, contentType).contentType.startsWith('text/') ? [index] : [],
  );
  const found: Record<number, Excerpt> = {};
  for (const index of texts.slice(0, EXCERPTS_MAX)) {
    const file = await readFileFacts(sql, accountId, emailId, index);
    if (file === null) continue;
    const bytes = await readBeginning(sql, { accountId, emailId }, file, EXCERPT_BYTES);
    found[index] = { text: decode(bytes), isCut: file.size > bytes.length };
  }
  return found;
}

/** Pictures in the message are sent with its frame: the frame has no origin, so it could not load them with the reader's session. */
const PICTURES_BYTES = 3_000_000;
const PICTURE = /^image\/(?:png|gif|jpeg|webp|avif)$/;

async function attachedPictures(
  { sql, accountId }: HeldContentTools,
  { emailId, html }: Message,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (html === null || !/cid:/i.test(html)) return found;
  let left = PICTURES_BYTES;
  for (const { contentId, ...file } of await listInlineFiles(sql, accountId, emailId)) {
    const { contentType } = serveFile(file.filename, file.contentType);
    if (contentId === null || !PICTURE.test(contentType) || file.size > left) continue;
    left -= file.size;
    const content = await readBeginning(sql, { accountId, emailId }, file, file.size);
    found.set(contentId, `data:${contentType};base64,${content.toString('base64')}`);
  }
  return found;
}

async function readBeginning(
  sql: Query,
  { accountId, emailId }: { readonly accountId: string; readonly emailId: string },
  file: FileFacts,
  bytes: number,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of readFileContent(sql, accountId, emailId, file)) {
    parts.push(part);
    length += part.length;
    if (length >= bytes) break;
  }
  return Buffer.concat(parts).subarray(0, bytes);
}

/** A cut can split a character, whose rest is left out. */
function decode(bytes: Buffer): string {
  return new TextDecoder('utf-8').decode(bytes, { stream: true }).replaceAll('\0', '');
}
