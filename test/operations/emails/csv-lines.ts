import { CELL_SEPARATOR, type ExportedColumns } from '../../../packages/server/src/db/queries/export-messages.ts';
import { createCsvWriter } from '../../../packages/server/src/operations/emails/export-csv.ts';

const TEXTS = ['senders', 'recipients', 'subjects', 'statuses', 'channels', 'sources', 'agents', 'tags'] as const;
const START = '00000000-0000-0000-0000-000000000000,2000-01-01T00:00:00.000Z,';

/** The CSV of records, whose cells (at most eight) are the texts of a message. Without the id, the time and the last line end. */
export function csvLines(...records: readonly (readonly string[])[]): string {
  const empty = columnsOf(records, 0n);
  const lines = Buffer.from(createCsvWriter()(records.length, empty)).toString().slice(0, -1);
  const [first, ...others] = lines.split(START);
  if (first !== '' || others.length !== records.length) throw new Error(`not one line for each record: ${lines}`);
  return others
    .map((line, at) => {
      const padding = ','.repeat(TEXTS.length - (records[at]?.length ?? 0));
      const whole = at < others.length - 1 ? line.slice(0, -1) : line;
      if (!whole.endsWith(padding)) throw new Error(`more cells than were given: ${line}`);
      return whole.slice(0, whole.length - padding.length);
    })
    .join('\n');
}

/** The bytes that the database sends for these records, all at the same time. */
export function columnsOf(records: readonly (readonly string[])[], micros: bigint): ExportedColumns {
  const hex = (digits: string) => Buffer.from(`\\x${digits.repeat(records.length)}`);
  const texts = TEXTS.map((name, at): [string, Buffer] => [
    name,
    Buffer.from(records.map((cells) => cells[at] ?? '').join(CELL_SEPARATOR)),
  ]);
  return {
    rows: Buffer.from(String(records.length)),
    last: Buffer.from('00000000-0000-0000-0000-000000000000'),
    ids: hex('0'.repeat(32)),
    times: hex(BigInt.asUintN(64, micros).toString(16).padStart(16, '0')),
    ...(Object.fromEntries(texts) as Record<(typeof TEXTS)[number], Buffer>), // Built from the same names.
  };
}
