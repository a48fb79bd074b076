import { DELETE_ACCOUNT_OPERATION, STATS_OPERATION } from './commands/account/describe-account.ts';
import { VERIFY_COMMAND } from './commands/audit/describe-verify.ts';
import { BATCH_OPERATION } from './commands/describe-batch.ts';
import { isSend } from './commands/describe-send.ts';
import { SUPPRESS_OPERATION } from './commands/describe-suppress.ts';
import { DEV_COMMAND } from './commands/dev/describe-dev.ts';
import { DOCTOR_COMMAND } from './commands/doctor/describe-doctor.ts';
import { EXPORT_OPERATION } from './commands/log/describe-export.ts';
import { TAIL_COMMANDS } from './commands/log/describe-tail.ts';
import { MCP_INSTALL_COMMAND, MCP_UNINSTALL_COMMAND } from './commands/mcp/describe-mcp.ts';
import { PEOPLE_COMMANDS } from './commands/people/describe-people.ts';
import { API } from './commands/program/describe-program.ts';
import { PLACEMENT_OPERATION } from './commands/tools/describe-placement.ts';
import type { OwnRunner, Runner } from './runner.ts';

/**
 * What carries out a command without being connected; null where the command is another. Each comes with its modules, and none with those of
 * another: `postrider emails get` waits for no TLS and no editor of files.
 */
export async function loadOwnRunner(id: string): Promise<OwnRunner | null> {
  // It has to tell of a key that is not there, which ends every other command.
  if (id === DOCTOR_COMMAND) {
    const { runDoctor } = await import('./commands/doctor/run-doctor.ts');
    return ({ options }, output, io) => runDoctor(options, output, io);
  }
  // It brings the server itself.
  if (id === DEV_COMMAND) return (await import('./commands/dev/run-dev.ts')).runDev;
  // It needs a key to write down, and no server.
  if (id === MCP_INSTALL_COMMAND) return (await import('./commands/mcp/run-mcp-install.ts')).runMcpInstall;
  if (id === MCP_UNINSTALL_COMMAND) return (await import('./commands/mcp/run-mcp-uninstall.ts')).runMcpUninstall;
  if (!PEOPLE_COMMANDS.some((command) => command.id === id)) return null;
  return (await import('./commands/people/run-people.ts')).PEOPLE_COMMAND_RUNNERS[id] ?? null;
}

/** What carries out any other command. */
export async function loadRunner(id: string): Promise<Runner> {
  const [group = ''] = id.split(' ');
  const named = id.includes('.') ? undefined : (await RUNNERS_OF_GROUPS[group]?.())?.[id];
  const one = named ?? (await RUNNERS[id]?.());
  if (one !== undefined) return one;
  if (TAIL_COMMANDS.includes(id)) return (await import('./commands/log/run-tail.ts')).runTail;
  if (id.startsWith('domains.')) return (await import('./commands/domains/run-domain.ts')).runDomain;
  if (isSend(id)) return (await import('./commands/run-send.ts')).runSend;
  return (await import('./commands/run-command.ts')).runCommand;
}

type RunnersById = Readonly<Record<string, Runner | undefined>>;

/** Of the commands that are no operation, by the first word of their ids. */
const RUNNERS_OF_GROUPS: Readonly<Record<string, () => Promise<RunnersById>>> = {
  templates: async () => (await import('./commands/templates/runners.ts')).TEMPLATE_COMMAND_RUNNERS,
  webhooks: async () => (await import('./commands/webhooks/runners.ts')).WEBHOOK_COMMAND_RUNNERS,
  approvals: async () => (await import('./commands/approvals/runners.ts')).APPROVAL_COMMAND_RUNNERS,
};

const RUNNERS: Readonly<Record<string, () => Promise<Runner>>> = {
  [API.id]: async () => (await import('./commands/program/run-api.ts')).runApi,
  [PLACEMENT_OPERATION]: async () => (await import('./commands/tools/run-placement.ts')).runPlacement,
  [EXPORT_OPERATION]: async () => (await import('./commands/log/run-export.ts')).runExport,
  [VERIFY_COMMAND]: async () => (await import('./commands/audit/run-verify.ts')).runVerify,
  [SUPPRESS_OPERATION]: async () => (await import('./commands/run-suppress.ts')).runSuppress,
  [DELETE_ACCOUNT_OPERATION]: async () => (await import('./commands/account/run-delete.ts')).runDeleteAccount,
  [STATS_OPERATION]: async () => (await import('./commands/account/run-stats.ts')).runStats,
  [BATCH_OPERATION]: async () => (await import('./commands/run-batch.ts')).runBatch,
};
