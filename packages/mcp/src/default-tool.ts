import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from './results.ts';
import type { SurfaceEntry } from './surface.ts';
import { callingTool, type ShownOperation, type Tool } from './tool.ts';
import { section } from './tools/message-text.ts';
import { describePage, type Page } from './tools/page-text.ts';
import { toOneLine } from './untrusted-text.ts';

/** The tool of an operation without a file in `tools/`: it calls the operation once and shows the fields of the response. */
export function defaultTool(entry: SurfaceEntry): Tool {
  // An operation on the surface always has an exposure.
  const operation = findOperation(entry.operation) as ShownOperation;
  return callingTool(operation, { toRecord, structuredNotes: [UNTRUSTED_NOTE], toText: describeBody })(entry);
}

type Body = Readonly<Record<string, unknown>>;

/** A response without a body becomes a record without fields. */
function toRecord(response: unknown): Body {
  return isRecord(response) ? response : {};
}

/** Formats a page as rows and a cursor, and any other record as one line per field. All text is fenced, because its origin is unknown. */
export function describeBody(response: Body, untrusted: (text: string) => string): string {
  const [list, ...others] = Object.entries(response).filter(([, value]) => Array.isArray(value));
  if (isPage(response) && list !== undefined && others.length === 0) {
    const [name, rows] = list;
    return describePage(response, { rows: toRows(rows), noun: toWords(name), describeRow }, untrusted);
  }
  const lines = Object.entries(response).flatMap(([name, value]) => describeField(name, value));
  return lines.length === 0 ? 'Done.' : untrusted(lines.join('\n'));
}

function describeField(name: string, value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  if (isListOfRecords(value)) return section(name, value.map(describeRecord));
  return isRecord(value) ? section(name, describeParts(value)) : [`${name}: ${inWords(value)}`];
}

function describeRow(row: unknown): string {
  return `- ${describeRecord(row)}`;
}

function describeRecord(record: unknown): string {
  return isRecord(record) ? describeParts(record).join(' | ') : inWords(record);
}

/** The id comes first, because the next call needs it. */
function describeParts({ id, ...record }: Body): string[] {
  const parts = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  return [...(id === undefined ? [] : [inWords(id)]), ...parts.map(([name, value]) => `${name} ${inWords(value)}`)];
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.some(isRecord) ? `${value.length}` : value.map(inWords).join(', ') || 'none';
  return toOneLine(isRecord(value) ? JSON.stringify(value) : String(value));
}

/** Splits `webhookDeliveries` into words. */
function toWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function isPage(response: Body): response is Body & Page {
  return 'nextCursor' in response && 'total' in response && 'totalIsEstimate' in response;
}

function toRows(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isListOfRecords(value: unknown): value is readonly Body[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function isRecord(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
