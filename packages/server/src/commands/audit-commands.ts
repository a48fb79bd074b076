import type { Command } from 'commander';
import { type ChainReport, verifyChains } from '../audit/verify-chains.ts';
import { readAccounts } from '../db/queries/accounts.ts';
import { isUuid } from '../uuid-v7.ts';
import { type OperatorTools, response, withDatabase } from './operator-commands.ts';
import { EXIT, ExitRequest, StartError } from './start-error.ts';

/** The operator's commands for the audit log. */
export function addAuditCommands(program: Command, tools: OperatorTools): void {
  program
    .command('audit')
    .description('verify the audit log')
    .command('verify')
    .description(
      'recompute the chain of every account and report the first broken entry of each; exit code 1 if one is broken',
    )
    .option('--account <accountId>', 'only the chain of this account')
    .option('--json', 'print JSON')
    .action(async (options: { account?: string; json?: boolean }) => {
      const accounts = await withDatabase(tools, async ({ sql }) => {
        const reports = await verifyChains(sql, requireId(options.account));
        if (options.account !== undefined && reports[0]?.entries === 0 && reports[0].ok) {
          const [account] = await readAccounts(sql, options.account);
          if (account === undefined) throw unknownAccount(options.account);
        }
        return reports;
      });
      const ok = accounts.every((report) => report.ok);
      response(tools, options, { ok, accounts }, toText(accounts));
      if (!ok) throw new ExitRequest(EXIT.failed);
    });
}

function requireId(accountId: string | undefined): string | null {
  if (accountId === undefined) return null;
  if (!isUuid(accountId)) throw unknownAccount(accountId);
  return accountId.toLowerCase();
}

function unknownAccount(id: string): StartError {
  return new StartError(`There is no account ${id}.`, 'List the accounts with `postrider-server accounts list`.');
}

function toText(reports: readonly ChainReport[]): string {
  const lines = reports.map(({ accountId, entries, lastHash, broken }) =>
    broken === null
      ? `ok      ${accountId}  ${countOf(entries, 'entry', 'entries')}  ${lastHash ?? '-'}`
      : `broken  ${accountId}  entry ${broken.seq}${broken.id === null ? '' : ` (${broken.id})`}, ${broken.reason}: ${broken.message}`,
  );
  const broken = reports.filter(({ ok }) => !ok).length;
  const total = reports.reduce((sum, { entries }) => sum + entries, 0);
  const summary =
    broken === 0
      ? `${countOf(reports.length, 'chain', 'chains')}, ${countOf(total, 'entry', 'entries')}: all intact.`
      : `${broken} of ${reports.length} chains are broken.`;
  return [...lines, ...(lines.length === 0 ? [] : ['']), summary].join('\n');
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
