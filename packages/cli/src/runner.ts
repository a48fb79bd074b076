import type { ApiConnection } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Invocation } from './invocation.ts';
import type { Output } from './output/output.ts';

/** Carries out a command that calls the server it was connected to. */
export type Runner = (
  invocation: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
) => Promise<ExitCode>;

/** Carries out a command that finds out by itself whom to call, if anybody. */
export type OwnRunner = (invocation: Invocation, output: Output, io: CliIo) => Promise<ExitCode>;
