import type { Command } from 'commander';
import { eraseAccount } from '../accounts/erase-account.ts';
import { systemClock } from '../clock.ts';
import { readAccounts } from '../db/queries/accounts.ts';
import { isUuid } from '../uuid-v7.ts';
import { type OperatorTools, response, withDatabase } from './operator-commands.ts';
import { StartError, UsageError } from './start-error.ts';

/** Adds `accounts erase` to the account commands. */
export function addEraseCommand(program: Command, tools: OperatorTools): void {
  program.commands
    .find((command) => command.name() === 'accounts')
    ?.command('erase <accountId>')
    .description('permanently remove an account with its messages, keys, domains and logs')
    .option('--yes', 'confirm the removal; without it nothing is removed')
    .option('--json', 'print JSON')
    .action(async (accountId: string, options: { yes?: boolean; json?: boolean }) => {
      const { name, isErased, rows } = await withDatabase(tools, async ({ sql }) => {
        const [account] = isUuid(accountId) ? await readAccounts(sql, accountId) : [];
        if (account === undefined) throw unknownAccount(accountId);
        if (options.yes !== true) throw confirmationMissing(account.id, account.name);
        const now = systemClock.now();
        return { name: account.name, ...(await eraseAccount(sql, account.id, { now, onlyIfDue: false })) };
      });
      if (!isErased) throw unknownAccount(accountId);
      response(
        tools,
        options,
        { accountId: accountId.toLowerCase(), name, erased: true, rows },
        `The account ${accountId} is erased: ${rows} rows.`,
      );
    });
}

function confirmationMissing(id: string, name: string): UsageError {
  return new UsageError(
    `This would permanently remove the account ${id} (${JSON.stringify(name)}) and everything in it.`,
    `To confirm: postrider-server accounts erase ${id} --yes`,
  );
}

function unknownAccount(id: string): StartError {
  return new StartError(`There is no account ${id}.`, 'List the accounts with `postrider-server accounts list`.');
}
