import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { Invocation } from '../../invocation.ts';
import type { Output } from '../../output/output.ts';
import { runPreview } from './preview.ts';
import { runPull } from './pull.ts';
import { runPush } from './push.ts';
import { runRollback } from './rollback.ts';

export type CommandRunner = (
  invocation: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
) => Promise<ExitCode>;

/** What carries out the commands of describe-templates.ts, by their ids. */
export const TEMPLATE_COMMAND_RUNNERS: Readonly<Record<string, CommandRunner | undefined>> = {
  'templates push': runPush,
  'templates pull': runPull,
  'templates preview': runPreview,
  'templates rollback': runRollback,
};
