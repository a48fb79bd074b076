import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { rebuildStats } from '../stats/rebuild-stats.ts';
import { type OperatorTools, response, withDatabase } from './operator-commands.ts';

/** The operator's commands for the statistics. */
export function addStatsCommands(program: Command, tools: OperatorTools): void {
  program
    .command('stats')
    .description('rebuild the statistics')
    .command('rebuild')
    .description('recount the messages of every account from the log; sending and reading continue')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const { retention } = tools.readConfig();
      const rebuilt = await withDatabase(tools, ({ sql }) => rebuildStats(sql, systemClock.now(), retention.logDays));
      const { accounts, days, messages } = rebuilt;
      const text = `Recounted ${messages} messages of ${accounts} accounts on ${days} days.`;
      response(tools, options, { rebuilt: true, ...rebuilt }, text);
    });
}
