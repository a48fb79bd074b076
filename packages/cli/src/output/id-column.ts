import type { Column } from './table.ts';

/** The ends of the groups of a UUID, from the one with its whole time on. */
const LENGTHS = [13, 18, 23] as const;
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** A column of ids. In a narrow terminal they are as long as it takes to tell them apart, which is what commands accept in their place. */
export function idColumn(ids: readonly string[], title = 'id'): Column {
  return { title, cells: ids, shortCells: shortenIds(ids) };
}

function shortenIds(ids: readonly string[]): readonly string[] {
  const distinct = new Set(ids);
  const length = LENGTHS.find((size) => new Set([...distinct].map((id) => id.slice(0, size))).size === distinct.size);
  return ids.map((id) => (ID.test(id) ? id.slice(0, length) : id));
}
