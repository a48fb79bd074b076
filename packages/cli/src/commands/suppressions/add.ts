import type { CliIo } from '../../cli-io.ts';
import { readContent, readsStdin } from '../../content-argument.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { usageFailure } from '../../failure.ts';
import { placeValues } from '../../operation-input.ts';
import { isRecord, recordsOf } from '../../output/json-value.ts';
import { showSuppressed } from '../../output/views/suppression-list.ts';

const ADDRESSES_FLAG = '--emails';
/** The API's limit for one call; longer lists take several calls. */
const ADDRESSES_PER_CALL = 1_000;

/** Adds suppressions: one address, or the lists in `--emails`, of any length. */
export const definition = defineCommand({
  id: 'suppressions.create',
  moreHelp: {
    emails:
      'Use @file to read addresses from a file, or - from stdin: one per line, any number; lines that begin with # are ignored.',
  },
  async run({ command, values }, connection, output, io) {
    const given = values['emails'];
    const parts = Array.isArray(given) ? toParts(await readAddresses(given.map(String), io)) : [undefined];
    const responses: unknown[] = [];
    for (const emails of parts) {
      const part = emails === undefined ? values : { ...values, emails };
      responses.push((await connection.callCommand(command.id, placeValues(command, part))).data);
      const done = responses.length * ADDRESSES_PER_CALL;
      if (responses.length < parts.length) output.remark(`${done.toLocaleString('en')} addresses processed.`);
    }
    const response = responses.length === 1 ? responses[0] : mergeResponses(responses);
    if (output.isJson) output.writeJson(response);
    else showSuppressed(isRecord(response) ? response : {}, output);
    return EXIT_CODES.done;
  },
});

async function readAddresses(given: readonly string[], io: CliIo): Promise<readonly string[]> {
  if (given.filter(readsStdin).length > 1)
    throw usageFailure(`${ADDRESSES_FLAG} reads stdin twice`, 'Pass - only once.');
  const addresses: string[] = [];
  for (const value of given) {
    const content = await readContent(ADDRESSES_FLAG, value, io);
    const isFile = readsStdin(value) || value.startsWith('@');
    addresses.push(...(isFile ? linesOf(content) : [content]));
  }
  if (addresses.length > 0) return addresses;
  throw usageFailure(`${ADDRESSES_FLAG} contains no address`, 'Write one address per line.');
}

function linesOf(content: string): readonly string[] {
  return content
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function toParts(addresses: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(addresses.length / ADDRESSES_PER_CALL) }, (_, part) =>
    addresses.slice(part * ADDRESSES_PER_CALL, (part + 1) * ADDRESSES_PER_CALL),
  );
}

/** Merges the responses of several calls into one. */
function mergeResponses(responses: readonly unknown[]): Readonly<Record<string, unknown>> {
  const records = responses.filter(isRecord);
  const sum = (name: string) => records.reduce((total, record) => total + Number(record[name]), 0);
  const suppressions = records.flatMap((record) => recordsOf(record['suppressions']));
  return { suppressions, added: sum('added'), existing: sum('existing') };
}
