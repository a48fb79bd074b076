import { type ErrorCode, type FieldProblem, LIMITS, type SendRequest } from '@postrider/core';
import type { Refusal } from '../acceptance.ts';
import { FETCH_FIX, isFetchable } from '../attachment-hosts.ts';
import { isRefusedType, sanitizeFilename } from './attachment-name.ts';
import { decodeBase64 } from './decode-base64.ts';
import { encodedSize, type MessageText } from './encoded-size.ts';
import type { FileSession, FileSource } from './fetch-files.ts';
import { guessMediaType } from './media-type.ts';
import type { ContentAttachment } from './send-content.ts';

export interface PreparedAttachments {
  /** The valid attachments, in the order of the request. */
  readonly attachments: readonly ContentAttachment[];
  /** One refusal for each code, with every field it is about; empty if all attachments are valid. */
  readonly refusals: readonly Refusal[];
}

type Given = NonNullable<SendRequest['attachments']>[number];
type AttachmentCode = Extract<ErrorCode, `attachment_${string}`>;

interface Fault {
  readonly path: string;
  readonly code: AttachmentCode;
  readonly message: string;
  readonly fix?: string;
}

/** Which URLs may be fetched for a send. */
export interface FileRule {
  /** A dry run fetches nothing. */
  readonly isDryRun: boolean;
  /** The lists of all keys that judge the send; null allows any host. */
  readonly hosts: readonly (readonly string[] | null)[];
}

/**
 * Checks, decodes and fetches the files of a send. Fetches nothing for a dry run, nor for a send that is refused for a reason that can be
 * seen without fetching.
 * @param files the files of the call that contains the send, or the source to open a separate session from.
 * @param isRefused whether the send is already refused for another reason.
 */
export async function prepareAttachments(
  message: MessageText,
  files: FileSession | FileSource,
  rule: FileRule,
  isRefused = false,
): Promise<PreparedAttachments> {
  const given = message.request.attachments ?? [];
  if (given.length === 0) return NOTHING;
  if (given.length > LIMITS.attachmentsPerMessage) return { attachments: [], refusals: [tooMany(given.length)] };
  if ('fetch' in files) return await readAttachments(message, given, files, rule, isRefused);
  const session = files.open();
  try {
    return await readAttachments(message, given, session, rule, isRefused);
  } finally {
    session.close();
  }
}

const NOTHING: PreparedAttachments = { attachments: [], refusals: [] };

async function readAttachments(
  message: MessageText,
  given: readonly Given[],
  files: FileSession,
  { hosts, isDryRun }: FileRule,
  isRefused: boolean,
): Promise<PreparedAttachments> {
  const seen = [
    ...given.flatMap(checkShape),
    ...repeatedContentIds(given),
    ...given.flatMap((one, index) => checkHost(one, index, hosts)),
    // A real send finds the other faults of a URL when it fetches it.
    ...(isDryRun ? given.flatMap((one, index) => checkUrlOf(one, index, files)) : []),
  ];
  const isFetching = seen.length === 0 && !isRefused && !isDryRun;
  const read = await Promise.all(
    given.map((one, index) => (one.url === undefined || isFetching ? readContent(one, index, files) : null)),
  );
  const faults = [...seen, ...read.flatMap((result) => (result !== null && 'code' in result ? [result] : []))];
  const attachments = given.flatMap((one, index) => {
    const content = read[index];
    if (content instanceof Uint8Array) return [toAttachment(one, content)];
    return isDryRun && one.url !== undefined && one.content === undefined
      ? [{ ...toAttachment(one, UNFETCHED), isUnfetched: true as const }]
      : [];
  });
  const bytes = encodedSize(message, attachments);
  if (bytes > LIMITS.encodedMessageBytes) faults.push(tooLarge(bytes));
  return { attachments, refusals: toRefusals(faults) };
}

const UNFETCHED = new Uint8Array();

/** Checked before any name is resolved: a lookup alone can carry data to the owner of the name server. */
function checkHost({ content, url }: Given, index: number, hosts: FileRule['hosts']): Fault[] {
  if (url === undefined || content !== undefined || isFetchable(url, hosts)) return [];
  const message = 'names a host that this key may not fetch from';
  return [{ path: `attachments.${index}.url`, code: 'attachment_url_refused', message, fix: FETCH_FIX }];
}

function checkUrlOf({ content, url }: Given, index: number, files: FileSession): Fault[] {
  const message = url === undefined || content !== undefined ? null : files.faultOf(url);
  return message === null ? [] : [{ path: `attachments.${index}.url`, code: 'attachment_url_refused', message }];
}

function tooMany(count: number): Refusal {
  const message = `has ${count} files; at most ${LIMITS.attachmentsPerMessage} are allowed`;
  const code = 'attachment_too_many';
  return { code, detail: `attachments ${message}.`, errors: [{ path: 'attachments', code, message }] };
}

function checkShape({ filename, content, url, content_type }: Given, index: number): Fault[] {
  const fault = (field: string, code: AttachmentCode, message: string) => [
    { path: `attachments.${index}.${field}`, code, message },
  ];
  if (content !== undefined && url !== undefined) {
    return fault('url', 'attachment_invalid', 'cannot be combined with `content`; pass one of them');
  }
  if (sanitizeFilename(filename) === null) {
    return fault('filename', 'attachment_invalid', 'contains no name, only folders, dots or spaces');
  }
  if (isRefusedType(filename)) {
    return fault('filename', 'attachment_type_refused', 'has the extension of a program, and programs are not sent');
  }
  if (content_type !== undefined && /^multipart\//i.test(content_type)) {
    return fault('content_type', 'attachment_invalid', 'must be the type of one file, not of several');
  }
  return [];
}

/** Two files with the same content id would make `cid:` ambiguous. */
function repeatedContentIds(given: readonly Given[]): Fault[] {
  const seen = new Set<string>();
  return given.flatMap(({ content_id }, index) => {
    if (content_id === undefined) return [];
    if (!seen.has(content_id)) {
      seen.add(content_id);
      return [];
    }
    const message = 'is already the content id of another file';
    return [{ path: `attachments.${index}.content_id`, code: 'attachment_invalid' as const, message }];
  });
}

/** Null if another fault covers it. */
async function readContent({ content, url }: Given, index: number, files: FileSession) {
  if (content !== undefined && url !== undefined) return null;
  if (url !== undefined) {
    const fetched = await files.fetch(url);
    return fetched.ok
      ? fetched.content
      : { path: `attachments.${index}.url`, code: fetched.code, message: fetched.message };
  }
  const path = `attachments.${index}.content`;
  const bytes = await decodeBase64(content ?? '');
  if (bytes === null) return { path, code: 'attachment_invalid' as const, message: 'is not base64 (RFC 4648, padded)' };
  if (bytes.length === 0) return { path, code: 'attachment_invalid' as const, message: 'is empty' };
  return bytes;
}

function tooLarge(bytes: number): Fault {
  const message = `would make a message of about ${inMegabytes(bytes)} MB; at most ${inMegabytes(LIMITS.encodedMessageBytes)} MB are allowed, encoded`;
  return { path: 'attachments', code: 'attachment_too_large', message };
}

function inMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '');
}

function toAttachment({ filename, content_type, content_id }: Given, content: Uint8Array): ContentAttachment {
  const name = sanitizeFilename(filename) ?? filename;
  return { filename: name, contentType: content_type ?? guessMediaType(name), contentId: content_id ?? null, content };
}

function toRefusals(faults: readonly Fault[]): readonly Refusal[] {
  return [...Map.groupBy(faults, ({ code }) => code)].map(([code, group]) => {
    const errors: FieldProblem[] = group.map(({ path, message }) => ({ path, code, message }));
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    const fix = group.find((fault) => fault.fix !== undefined)?.fix;
    const detail = `${errors[0]?.path}: ${errors[0]?.message}${more}.`;
    return { code, detail, errors, ...(fix === undefined ? {} : { fix }) };
  });
}
