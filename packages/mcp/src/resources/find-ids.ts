import { findOperation, type PlacedInput, placeArguments } from '@postrider/core';
import type { ResourceCall } from './read-resource.ts';
import type { ResourceKind } from './resource-kinds.ts';

/** An object that can be completed: its id or slug, and its display name. */
export interface NamedId {
  readonly id: string;
  readonly title: string;
}

/** The number of suggestions. Tools with search find older objects. */
const ROWS = 20;

/** The newest objects of a kind. Empty if the key may not read them: completion has no way to report a refusal. */
export async function newestOf(kind: ResourceKind['name'], call: ResourceCall): Promise<readonly NamedId[]> {
  switch (kind) {
    case 'messages':
      return toNamed(await rowsOf('emails.list', 'messages', {}, call), 'id', 'subject');
    case 'approvals':
      return toNamed(await rowsOf('approvals.list', 'approvals', { status: 'pending' }, call), 'id', 'subject');
    case 'templates':
      return toNamed(await rowsOf('templates.list', 'templates', {}, call), 'slug', 'name');
  }
}

/** Messages that did not arrive, newest first. */
export async function bouncedMessages(call: ResourceCall): Promise<readonly NamedId[]> {
  return toNamed(await rowsOf('emails.list', 'messages', { status: 'bounced' }, call), 'id', 'subject');
}

export async function sendingDomains(call: ResourceCall): Promise<readonly NamedId[]> {
  return toNamed(await rowsOf('domains.list', 'domains', {}, call), 'name', 'name');
}

type Row = Readonly<Record<string, unknown>>;
type ListId = 'emails.list' | 'approvals.list' | 'templates.list' | 'domains.list';

async function rowsOf(
  operationId: ListId,
  rows: string,
  given: Readonly<Record<string, unknown>>,
  { invoke, signal }: ResourceCall,
): Promise<readonly Row[]> {
  const input: PlacedInput = placeArguments(findOperation(operationId), { ...given, limit: ROWS });
  const result = await invoke(operationId, input, { signal });
  // A list returns its rows under their plural name.
  return result.ok ? ((result.body as Readonly<Record<string, readonly Row[]>>)[rows] ?? []) : [];
}

function toNamed(rows: readonly Row[], id: string, title: string): readonly NamedId[] {
  return rows.map((row) => ({ id: String(row[id] ?? ''), title: String(row[title] ?? '') }));
}
