import { domainToASCII } from 'node:url';
import type { ApiConnection } from '../api-connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { ownFailure } from '../failure.ts';
import { recordsOf, textOf } from '../output/json-value.ts';

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** The largest page of the API. */
const PAGE_ROWS = 100;

const IN_USE = 'domains.list';
const REMOVED = 'domains.history';
type DomainList = typeof IN_USE | typeof REMOVED;

/** The lists that a command searches for a name, in order: only `restore` searches the removed domains first. */
function placesFor(operationId: string): readonly DomainList[] {
  return operationId === 'domains.restore' ? [REMOVED, IN_USE] : [IN_USE, REMOVED];
}

/** The id for a domain name or id, since users know the names. Rejects if there is no domain with that name. */
export async function findDomainId(given: string, operationId: string, connection: ApiConnection): Promise<string> {
  if (ID.test(given)) return given;
  const name = domainToASCII(given.replace(/\.$/, '')) || given;
  for (const list of placesFor(operationId)) {
    const id = await findInList(name, list, connection);
    if (id !== null) return id;
  }
  throw ownFailure(
    EXIT_CODES.notFound,
    'not_found',
    'There is no such domain',
    `the account has no domain named ${given}`,
    'See your domains: postrider domains list',
  );
}

async function findInList(name: string, list: DomainList, connection: ApiConnection): Promise<string | null> {
  for (let cursor = ''; ; ) {
    const query = { limit: PAGE_ROWS, ...(cursor === '' ? {} : { cursor }) };
    const { record: page } = await connection.call(list, { query });
    const found = recordsOf(page.domains).find((domain) => domain['name'] === name);
    if (found !== undefined) return textOf(found['id']);
    cursor = textOf(page.nextCursor);
    if (cursor === '') return null;
  }
}
