import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { readContent } from '../../content-argument.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { usageFailure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import type { Output } from '../../output/output.ts';
import { callAndShow, runCommand } from '../run-command.ts';

/** What a message is given in, where it is not given whole. */
const PARTS = ['raw', 'from', 'subject', 'html', 'text'] as const;

/** Checks a message that lies in a file or comes on stdin, as the API's own arguments do not. */
export async function runPlacement(
  invocation: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const raw = await readMessage(invocation, io);
  if (raw === null) return runCommand(invocation, connection, output, io);
  return callAndShow(invocation.command, { ...invocation.values, raw }, connection, output);
}

/** Null where the message is given by the other flags. */
async function readMessage({ values, ownFlags }: Invocation, io: CliIo): Promise<string | null> {
  const { file } = ownFlags;
  if (typeof file === 'string') return readContent('--file', file === '-' ? '-' : `@${file}`, io);
  if (PARTS.some((name) => values[name] !== undefined)) return null;
  if (io.stdin.isTTY !== true) return readContent('--file', '-', io);
  throw usageFailure('there is no message to check', 'For example: postrider tools inbox-placement --file message.eml');
}
