import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../output/json-value.ts';

/** The largest page of the API, and a maximum of pages: older keys are shown by their ids. */
const PAGE_ROWS = 100;
const PAGES_MAX = 5;
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** The names of keys and members by their ids. Without permission to read the keys or the team, their names are missing. */
export async function findActorNames(
  actors: readonly string[],
  connection: ApiConnection,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(actors.filter((actor) => ID.test(actor)));
  if (ids.size === 0) return new Map();
  const [keys, members] = await Promise.all([orNone(readKeys(ids, connection)), orNone(readMembers(connection))]);
  const named = [...keys, ...members].filter(({ id }) => ids.has(id));
  const names = named.map(({ name }) => name);
  // Two keys can have the same name.
  const isUnique = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return new Map(named.map(({ id, name }) => [id, isUnique(name) ? name : `${name} (${id.slice(0, SHORT_ID)})`]));
}

const SHORT_ID = 13;

interface Named {
  readonly id: string;
  readonly name: string;
}

async function readKeys(ids: ReadonlySet<string>, connection: ApiConnection): Promise<readonly Named[]> {
  const found: Named[] = [];
  let cursor = '';
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const query = { limit: PAGE_ROWS, ...(cursor === '' ? {} : { cursor }) };
    const { data } = await connection.callCommand('keys.list', { params: {}, query, headers: {}, body: undefined });
    const page = isRecord(data) ? data : {};
    found.push(...recordsOf(page['keys']).map((row) => toNamed(row, row['name'])));
    cursor = textOf(page['nextCursor']);
    const known = new Set(found.map(({ id }) => id));
    if (cursor === '' || [...ids].every((id) => known.has(id))) break;
  }
  return found;
}

async function readMembers(connection: ApiConnection): Promise<readonly Named[]> {
  const { data } = await connection.callCommand('team.list', { params: {}, query: {}, headers: {}, body: undefined });
  return recordsOf(isRecord(data) ? data['members'] : []).map((row) => toNamed(row, row['email']));
}

function toNamed(row: JsonRecord, name: unknown): Named {
  return { id: textOf(row['id']), name: textOf(name) };
}

async function orNone(names: Promise<readonly Named[]>): Promise<readonly Named[]> {
  try {
    return await names;
  } catch (error) {
    if (error instanceof CliFailure) return [];
    throw error;
  }
}
