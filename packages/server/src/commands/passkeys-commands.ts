import type { Command } from 'commander';
import { removePasskeysOf } from '../auth/passkeys/own-passkeys.ts';
import { systemClock } from '../clock.ts';
import { createIdGenerator } from '../uuid-v7.ts';
import { type OperatorTools, response, withDatabase } from './operator-commands.ts';

/** The operator's command for a user who has lost all passkeys. */
export function addPasskeysCommands(program: Command, tools: OperatorTools): void {
  const passkeys = program.command('passkeys').description('help users who have lost their passkeys');
  passkeys
    .command('remove')
    .description(
      'remove all passkeys of a user and end their sessions; the user can then sign in by mail and add a new one',
    )
    .argument('<email>', 'the address that the user signs in with')
    .option('--json', 'print JSON')
    .action(async (email: string, options: { json?: boolean }) => {
      const removed = await withDatabase(tools, ({ sql }) =>
        removePasskeysOf({ sql, clock: systemClock, ids: createIdGenerator() }, email),
      );
      response(
        tools,
        options,
        { removed },
        `Removed ${removed} passkeys of ${email}, and ended all sessions of this user.`,
      );
    });
}
