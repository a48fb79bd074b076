import type { Column } from './table.ts';
import { isNarrow } from './time.ts';

/** Lengths that end at a group of a UUID, from the first one that contains the whole time. */
const LENGTHS = [13, 18, 23] as const;
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** A column of ids. In a narrow terminal, ids are cut to a unique prefix, which commands accept too. */
export function idColumn(ids: readonly string[], title = 'id'): Column {
  return { title, cells: ids, shortCells: shortenIds(ids) };
}

/** The id of a log entry, cut in the same way. */
export function logId(id: string, width: number | null): string {
  return isNarrow(width) && ID.test(id) ? id.slice(0, LENGTHS[0]) : id;
}

function shortenIds(ids: readonly string[]): readonly string[] {
  const distinct = new Set(ids);
  const length = LENGTHS.find((size) => new Set([...distinct].map((id) => id.slice(0, size))).size === distinct.size);
  return ids.map((id) => (ID.test(id) ? id.slice(0, length) : id));
}
