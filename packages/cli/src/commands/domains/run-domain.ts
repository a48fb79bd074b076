import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import type { Invocation } from '../../invocation.ts';
import { placeValues } from '../../operation-input.ts';
import { textOf } from '../../output/json-value.ts';
import type { Output } from '../../output/output.ts';
import { severalLines } from '../../output/untrusted-text.ts';
import { runCommand } from '../run-command.ts';
import { RECORDS_OPERATION, VERIFY_OPERATION, WATCH_SECONDS_DEFAULT } from './describe-domains.ts';
import { findDomainId } from './find-domain.ts';
import { watchDomain } from './watch-domain.ts';

/** Commands about one domain, which may be named by its name. */
export async function runDomain(
  invocation: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const { command, values, ownFlags } = invocation;
  if (values['id'] === undefined) return runCommand(invocation, connection, output, io);
  const id = await findDomainId(textOf(values['id']), command.id, connection);
  const named = { ...invocation, values: { ...values, id } };
  if (command.id === RECORDS_OPERATION && ownFlags['zone'] === true) return printZone(named, connection, output);
  if (command.id === VERIFY_OPERATION && ownFlags['watch'] === true) {
    const seconds = Number(ownFlags['for'] ?? WATCH_SECONDS_DEFAULT);
    return watchDomain({ id, seconds }, connection, output, io);
  }
  return runCommand(named, connection, output, io);
}

/** The file itself, also off a terminal, where other answers are JSON: it is made for `> zone.txt`. */
async function printZone({ command, values }: Invocation, connection: ApiConnection, output: Output) {
  const input = { ...placeValues(command, values), headers: { accept: 'text/plain' } };
  const { data } = await connection.call(command.id, input);
  output.writeText(`${severalLines(textOf(data)).trimEnd()}\n`);
  return EXIT_CODES.done;
}
