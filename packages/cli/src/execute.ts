import { connect } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import { DELETE_ACCOUNT_OPERATION } from './commands/account/describe-account.ts';
import { runDeleteAccount } from './commands/account/run-delete.ts';
import { runStats, STATS_OPERATION } from './commands/account/run-stats.ts';
import { APPROVAL_COMMAND_RUNNERS } from './commands/approvals/runners.ts';
import { VERIFY_COMMAND } from './commands/audit/describe-verify.ts';
import { runVerify } from './commands/audit/run-verify.ts';
import { BATCH_OPERATION } from './commands/describe-batch.ts';
import { isSend } from './commands/describe-send.ts';
import { SUPPRESS_OPERATION } from './commands/describe-suppress.ts';
import { DOCTOR_COMMAND } from './commands/doctor/describe-doctor.ts';
import { runDoctor } from './commands/doctor/run-doctor.ts';
import { runDomain } from './commands/domains/run-domain.ts';
import { EXPORT_OPERATION } from './commands/log/describe-export.ts';
import { TAIL_COMMANDS } from './commands/log/describe-tail.ts';
import { runExport } from './commands/log/run-export.ts';
import { runTail } from './commands/log/run-tail.ts';
import { MCP_INSTALL_COMMAND } from './commands/mcp/describe-mcp.ts';
import { runMcpInstall } from './commands/mcp/run-mcp-install.ts';
import { PEOPLE_COMMAND_RUNNERS } from './commands/people/run-people.ts';
import { API } from './commands/program/describe-program.ts';
import { runApi } from './commands/program/run-api.ts';
import { runBatch } from './commands/run-batch.ts';
import { runCommand } from './commands/run-command.ts';
import { runSend } from './commands/run-send.ts';
import { runSuppress } from './commands/run-suppress.ts';
import { TEMPLATE_COMMAND_RUNNERS } from './commands/templates/runners.ts';
import { PLACEMENT_OPERATION } from './commands/tools/describe-placement.ts';
import { runPlacement } from './commands/tools/run-placement.ts';
import { WEBHOOK_COMMAND_RUNNERS } from './commands/webhooks/runners.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Invocation } from './invocation.ts';
import { createOutput } from './output/output.ts';

/** Carries out a parsed command line. */
export async function executeInvocation(invocation: Invocation, io: CliIo): Promise<ExitCode> {
  const output = createOutput(io, invocation.options);
  // It has to tell of a key that is not there, which ends every other command.
  if (invocation.command.id === DOCTOR_COMMAND) return runDoctor(invocation.options, output, io);
  const people = PEOPLE_COMMAND_RUNNERS[invocation.command.id];
  if (people !== undefined) return people(invocation, output, io);
  // It needs a key to write down, and no server.
  if (invocation.command.id === MCP_INSTALL_COMMAND) return runMcpInstall(invocation, output, io);
  const connection = await connect(invocation.options, io, invocation.command.needsKey);
  const own =
    TEMPLATE_COMMAND_RUNNERS[invocation.command.id] ??
    WEBHOOK_COMMAND_RUNNERS[invocation.command.id] ??
    APPROVAL_COMMAND_RUNNERS[invocation.command.id];
  if (own !== undefined) return own(invocation, connection, output, io);
  if (invocation.command.id === API.id) return runApi(invocation, connection, output, io);
  if (invocation.command.id.startsWith('domains.')) return runDomain(invocation, connection, output, io);
  if (invocation.command.id === PLACEMENT_OPERATION) return runPlacement(invocation, connection, output, io);
  if (invocation.command.id === EXPORT_OPERATION) return runExport(invocation, connection, output, io);
  if (TAIL_COMMANDS.includes(invocation.command.id)) return runTail(invocation, connection, output, io);
  if (invocation.command.id === VERIFY_COMMAND) return runVerify(invocation, connection, output);
  if (invocation.command.id === SUPPRESS_OPERATION) return runSuppress(invocation, connection, output, io);
  if (invocation.command.id === DELETE_ACCOUNT_OPERATION) return runDeleteAccount(invocation, connection, output, io);
  if (invocation.command.id === STATS_OPERATION) return runStats(invocation, connection, output);
  if (invocation.command.id === BATCH_OPERATION) return runBatch(invocation, connection, output, io);
  return isSend(invocation.command.id)
    ? runSend(invocation, connection, output, io)
    : runCommand(invocation, connection, output, io);
}
