import type { ApiConnection } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { isConfirmed } from '../confirm.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { CliFailure, ownFailure, usageFailure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../output/json-value.ts';
import type { Output } from '../output/output.ts';
import { singleLine } from '../output/untrusted-text.ts';
import { type IdList, listOf, listsToSearch } from './id-lists.ts';
import { isIdPrefix, spanOf } from './id-prefix.ts';

/** Commands that change nothing. All others print what they matched. */
const READS = /\.(get|render|records|deliveries)$/;
/** Irreversible commands and sends: they need confirmation at a terminal and fail without one. */
const FINAL =
  /(\.(revoke|rotate|cancel|delete|remove|discard|end|decide|decide-many|resend)|approvals (approve|reject|edit))$/;

/**
 * The same command line with whole ids. A prefix identifies the only record whose id begins with it, as in git. A prefix without a match is
 * sent unchanged, because the server may know it as a name.
 */
export async function withWholeIds(
  invocation: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<Invocation> {
  const { command, values } = invocation;
  const whole: Record<string, unknown> = { ...values };
  const matched: Match[] = [];
  for (const { name, positional } of command.inputs) {
    const list = positional ? listOf(command.id, name) : null;
    if (list === null) continue;
    const find = async (given: unknown) => {
      if (typeof given !== 'string' || !isIdPrefix(given)) return given;
      // The deliveries belong to the endpoint in the argument before.
      const params = name === 'deliveryId' ? { id: whole['id'] } : {};
      let match: Match | null = null;
      for (const one of listsToSearch(command.id, list)) match ??= await findMatch(given, one, params, connection);
      if (match === null) return given;
      matched.push(match);
      return match.id;
    };
    const given = values[name];
    whole[name] = Array.isArray(given) ? await Promise.all(given.map(find)) : await find(given);
  }
  if (matched.length > 0 && !READS.test(command.id)) await showMatches(matched, command.id, output, io);
  return { ...invocation, values: whole };
}

interface Match {
  readonly id: string;
  readonly label: string;
}

const PAGE_ROWS = 100;
/** A prefix usually identifies a recent record, or one of few. */
const PAGES_MAX = 10;
const CANDIDATES_SHOWN = 5;

async function findMatch(
  prefix: string,
  list: IdList,
  params: JsonRecord,
  connection: ApiConnection,
): Promise<Match | null> {
  const found: Match[] = [];
  let cursor = '';
  for (let pages = 0; pages < PAGES_MAX && found.length <= CANDIDATES_SHOWN; pages += 1) {
    const query = {
      ...(list.paging === 'none' ? {} : { limit: PAGE_ROWS }),
      ...(list.paging === 'pages-in-span' ? spanOf(prefix) : {}),
      ...list.query,
      ...(cursor === '' ? {} : { cursor }),
    };
    const { data } = await connection.callCommand(list.operation, { params, query, headers: {}, body: undefined });
    const page = isRecord(data) ? data : {};
    for (const row of recordsOf(page[list.rows])) {
      const id = textOf(row['id']);
      if (id.startsWith(prefix.toLowerCase())) found.push({ id, label: singleLine(list.label(row)) });
    }
    cursor = textOf(page['nextCursor']);
    if (cursor === '') break;
  }
  if (found.length > 1) throw ambiguous(prefix, list, found, cursor === '');
  return found[0] ?? null;
}

/** @param isWhole whether all matches were found, and not only the first ones */
function ambiguous(prefix: string, { noun }: IdList, found: readonly Match[], isWhole: boolean): Error {
  const count = isWhole ? String(found.length) : `at least ${found.length}`;
  const listed = found.length > CANDIDATES_SHOWN ? `, of which ${CANDIDATES_SHOWN} are listed` : '';
  const { exitCode, problem } = ownFailure(
    EXIT_CODES.usage,
    'ambiguous_id',
    'The id is ambiguous',
    `${count} ${noun} have an id that begins with ${prefix}${listed}`,
    'Type more characters of the id. Ids that were created in the same minute have the first 8 in common.',
  );
  const errors = found
    .slice(0, CANDIDATES_SHOWN)
    .map(({ id, label }) => ({ path: id, code: 'candidate', message: label }));
  return new CliFailure(exitCode, { ...problem, errors });
}

async function showMatches(
  matched: readonly Match[],
  commandId: string,
  output: Output,
  { stdin, stderr }: CliIo,
): Promise<void> {
  const isFinal = FINAL.test(commandId);
  const [first] = matched;
  if (isFinal && stdin.isTTY !== true) {
    throw usageFailure(
      `this command needs the whole id; ${matched.map(({ id, label }) => `${id} is ${label}`).join(', ')}`,
      `If this is the one you mean, pass the whole id: ${first?.id}`,
    );
  }
  // With --json too: the user must see what is about to change.
  for (const { id, label } of matched) {
    if (isFinal || (!output.isQuiet && !output.isJson)) stderr.write(`${singleLine(`Matched ${id}: ${label}`)}\n`);
  }
  if (!isFinal || (await isConfirmed('Continue?', { stdin, stderr }))) return;
  throw ownFailure(
    EXIT_CODES.usage,
    'not_confirmed',
    'Nothing was changed',
    'the match was not confirmed',
    'Type y, or pass the whole id.',
  );
}
