import { decodeBytes, decodeText } from './decode-content.ts';
import { MessageFault } from './message-fault.ts';
import type { MimePart } from './read-mime.ts';

/** The content of a message: its bodies and its files. */
export interface ReadContent {
  readonly text: string | null;
  readonly html: string | null;
  readonly files: readonly ReadFile[];
}

export interface ReadFile {
  readonly filename: string;
  readonly contentType: string;
  /** Set if the file is shown within the html. */
  readonly contentId: string | null;
  readonly content: Buffer;
}

/** Their content must stay unchanged, byte for byte, which a recomposed message could not guarantee. */
const SEALED = new Set([
  'multipart/signed',
  'multipart/encrypted',
  'application/pkcs7-mime',
  'application/x-pkcs7-mime',
]);

/**
 * Sorts the parts of a message into bodies and files. The first text and the first html part that are not attachments
 * are the bodies. If only one kind exists, another part of it continues the body, because mail clients write text around
 * a picture. Everything else is a file.
 * @throws MessageFault
 */
export function readContent(message: MimePart): ReadContent {
  const leaves = collectLeaves(message);
  const bodies: Bodies = { text: null, html: null };
  const files = leaves.filter((leaf) => !addToBody(bodies, leaf, leaf === message));
  const html = bodies.html ?? '';
  return { ...bodies, files: files.map((leaf, index) => toFile(leaf, html, index + 1)) };
}

interface Bodies {
  text: string | null;
  html: string | null;
}

function collectLeaves(part: MimePart): readonly MimePart[] {
  const type = part.contentType.value;
  if (SEALED.has(type)) {
    throw new MessageFault(
      'Content-Type',
      `${type} cannot be passed on: messages are recomposed, which would break its signature or encryption`,
    );
  }
  if (!type.startsWith('multipart/')) return [part];
  return part.parts.flatMap(collectLeaves);
}

/** Whether the leaf is a body, or was added to one. */
function addToBody(bodies: Bodies, leaf: MimePart, isWhole: boolean): boolean {
  const kind =
    leaf.contentType.value === 'text/plain' ? 'text' : leaf.contentType.value === 'text/html' ? 'html' : null;
  if (kind === null || leaf.disposition.value === 'attachment' || nameOf(leaf) !== null) return false;
  const before = bodies[kind];
  const other = kind === 'text' ? bodies.html : bodies.text;
  if (before !== null && other !== null) return false;
  const text = decodeText(leaf);
  // The line ending after the last line is part of the transfer and not of the text: every message over SMTP ends in one.
  const own = isWhole && text.endsWith('\n') ? text.slice(0, -1) : text;
  bodies[kind] = before === null ? own : `${before}\n${own}`;
  return true;
}

function nameOf({ disposition, contentType }: MimePart): string | null {
  return disposition.parameters.get('filename') || contentType.parameters.get('name') || null;
}

function toFile(leaf: MimePart, html: string, number: number): ReadFile {
  const { contentId, disposition } = leaf;
  // Some mail clients give every file a content id. It is inline only if the html references it, or the part says so.
  const isShown = contentId !== null && (disposition.value !== 'attachment' || html.includes(`cid:${contentId}`));
  return {
    filename: nameOf(leaf) ?? `attachment-${number}${ENDINGS[leaf.contentType.value] ?? '.bin'}`,
    contentType: typeOf(leaf),
    contentId: isShown ? contentId : null,
    content: decodeBytes(leaf),
  };
}

const ENDINGS: Readonly<Record<string, string>> = {
  'text/plain': '.txt',
  'text/html': '.html',
  'text/calendar': '.ics',
  'text/csv': '.csv',
  'message/rfc822': '.eml',
  'application/pdf': '.pdf',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
};

/** Parameters that change how the file is read. Its name is stored separately. */
const KEPT_PARAMETERS = ['charset', 'method'];

function typeOf({ contentType }: MimePart): string {
  const kept = KEPT_PARAMETERS.flatMap((name) => {
    const value = contentType.parameters.get(name);
    return value !== undefined && /^[\w.+-]+$/.test(value) ? [`; ${name}=${value}`] : [];
  });
  return `${contentType.value}${kept.join('')}`;
}
