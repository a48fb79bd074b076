import type { Domain, DomainRecord } from '@postrider/core';
import type { DomainRow } from '../db/queries/domains.ts';
import {
  dkimRecordId,
  type ExpectedRecord,
  expectedRecords,
  type ListedKey,
  listedKeys,
  unlistedAt,
} from './domain-records.ts';
import type { PublicHost } from './public-host.ts';

/** Converts a stored domain to the API's format. */
export function toDomain(row: DomainRow, own: PublicHost, now: Date): Domain {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    statusReason: row.statusReason,
    dkimSelector: row.keys.find(({ algorithm, state }) => algorithm === 'rsa' && state === 'signing')?.selector ?? '',
    records: toRecords(row, own, now),
    createdAt: row.createdAt.toISOString(),
    verifiedAt: row.verifiedAt?.toISOString() ?? null,
    lastCheckedAt: row.lastCheckedAt?.toISOString() ?? null,
  };
}

/** The records to publish, each with the result of the last lookup. */
export function toRecords(row: DomainRow, own: PublicHost, now: Date): DomainRecord[] {
  const keys = listedKeys(row.keys, now);
  const notes = new Map(
    keys.map((key) => [dkimRecordId(key.selector), noteOf(key) ?? (row.heldByAnother ? HELD : null)]),
  );
  return expectedRecords({ ...row, keys }, own).map(({ id, ...record }) => {
    const check = row.checks[id];
    const said = check === undefined ? 'It has not been looked up yet.' : check.reason;
    const reason = [notes.get(id) ?? null, said].filter((text) => text !== null).join(' ');
    return {
      ...(record satisfies Omit<ExpectedRecord, 'id'>),
      status: check?.status ?? 'pending',
      reason: reason === '' ? null : reason,
      found: [...(check?.found ?? [])],
      checkedAt: check?.checkedAt ?? null,
    };
  });
}

/** Added to the record of the key that would sign, to explain why the domain is not verified although everything is published. */
const HELD =
  'Another account of this server has this name, so these records do not verify the domain. Verifying it returns the record that takes the name over.';

function noteOf({ state, algorithm, retiredAt }: ListedKey): string | null {
  if (state === 'retired' && retiredAt !== null) {
    const until = unlistedAt(retiredAt).toISOString().slice(0, 10);
    return `This key no longer signs. Keep its record until ${until}, for mail that is still in transit.`;
  }
  if (state !== 'waiting') return null;
  return algorithm === 'rsa'
    ? 'Mail is signed with this key once its record is found; until then with the other key.'
    : 'Mail carries a second signature by this key once its record is found.';
}
