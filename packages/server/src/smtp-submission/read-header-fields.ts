import { LIMITS } from '@postrider/core';
import { MessageFault } from './message-fault.ts';

/** One header field (RFC 5322 §2.2): unfolded and trimmed, with its encoded words unchanged. */
export interface HeaderField {
  readonly name: string;
  /** The name in lowercase. */
  readonly key: string;
  readonly value: string;
}

export interface HeaderAndBody {
  readonly fields: readonly HeaderField[];
  readonly body: Buffer;
}

/** The remaining header allowance of a message, its parts included. It bounds the work of parsing them. */
export interface HeaderAllowance {
  fields: number;
  bytes: number;
}

/** The largest headers of real mail have about 60 KB, and those of fifty parts about three hundred fields. */
export function createHeaderAllowance(): HeaderAllowance {
  return { fields: LIMITS.messageHeaderFields, bytes: LIMITS.messageHeaderBytes };
}

/** Old mail clients put white space before the colon (RFC 5322 §4.5). */
const FIELD = /^([!-9;-~]+)[ \t]*:(.*)$/s;
/** Only UTF-8 is accepted (RFC 6532): for other bytes, the letters would be a guess. A byte order mark is not part of a name. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses the header of a message or of one of its parts, whose lines all end in CRLF.
 * @throws MessageFault
 */
export function readHeaderFields(part: Buffer, left: HeaderAllowance): HeaderAndBody {
  const { header, body } = splitHeader(part);
  left.bytes -= header.length;
  if (left.bytes < 0) throw tooMuch(`${LIMITS.messageHeaderBytes} bytes`);
  const fields: HeaderField[] = [];
  for (const line of unfold(decode(header))) {
    left.fields -= 1;
    if (left.fields < 0) throw tooMuch(`${LIMITS.messageHeaderFields} fields`);
    fields.push(readField(line));
  }
  return { fields, body };
}

function tooMuch(limit: string): MessageFault {
  return new MessageFault('header', `may have at most ${limit}, with all parts together`);
}

/** The only field with that name; null if there is none. */
export function findField(fields: readonly HeaderField[], key: string): HeaderField | null {
  let found: HeaderField | null = null;
  for (const field of fields) {
    if (field.key !== key) continue;
    // Programs differ in which of two fields they use, so a message with two means different things to each.
    if (found !== null) throw new MessageFault(field.name, 'must not be repeated');
    found = field;
  }
  return found;
}

function splitHeader(part: Buffer): { readonly header: Buffer; readonly body: Buffer } {
  if (part[0] === 0x0d && part[1] === 0x0a) return { header: part.subarray(0, 0), body: part.subarray(2) };
  const end = part.indexOf('\r\n\r\n');
  if (end === -1) return { header: part, body: part.subarray(part.length) };
  return { header: part.subarray(0, end + 2), body: part.subarray(end + 4) };
}

function decode(header: Buffer): string {
  try {
    return UTF8.decode(header);
  } catch {
    throw new MessageFault('header', 'contains bytes that are not UTF-8; encode other characters as in RFC 2047');
  }
}

/** The lines of a header, with continuation lines joined to the line before. Only the line ending goes (RFC 5322 §2.2.3). */
function unfold(header: string): readonly string[] {
  const lines: string[] = [];
  for (const line of header.split('\r\n')) {
    const isContinuation = line.startsWith(' ') || line.startsWith('\t');
    const last = lines.length - 1;
    if (isContinuation && last >= 0) lines[last] += line;
    else if (line !== '') lines.push(line);
  }
  return lines;
}

function readField(line: string): HeaderField {
  const match = FIELD.exec(line);
  if (match === null)
    throw new MessageFault('header', `has a line that is not a header: ${JSON.stringify(line.slice(0, 40))}`);
  const name = match[1] ?? '';
  return { name, key: name.toLowerCase(), value: (match[2] ?? '').replaceAll('\t', ' ').trim() };
}
