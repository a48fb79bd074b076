import type { ApiConnection } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { textOf } from '../output/json-value.ts';
import type { Output } from '../output/output.ts';
import { runOperation } from '../run-operation.ts';
import { findDomainId } from './find-domain.ts';

/** Shared by all commands for one domain: they accept its name too. */
export const NAMED_DOMAIN = { help: { id: 'Domain name or id.' }, run: runOnDomain } as const;

/** The same command line with the id in place of the domain name. */
export async function withDomainId(invocation: Invocation, connection: ApiConnection): Promise<Invocation> {
  const { command, values } = invocation;
  const id = await findDomainId(textOf(values['id']), command.id, connection);
  return { ...invocation, values: { ...values, id } };
}

async function runOnDomain(
  invocation: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  return await runOperation(await withDomainId(invocation, connection), connection, output, io);
}
