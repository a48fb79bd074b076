import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { rebuildStats } from '../stats/rebuild-stats.ts';
import { answer, type OperatorTools, withDatabase } from './operator-commands.ts';

/** The operator's side of the statistics. */
export function addStatsCommands(program: Command, tools: OperatorTools): void {
  program
    .command('stats')
    .description('rebuild the statistics')
    .command('rebuild')
    .description('count the messages of every account anew from the log; sending and reading go on meanwhile')
    .option('--json', 'answer JSON')
    .action(async (options: { json?: boolean }) => {
      const { retention } = tools.readConfig();
      const rebuilt = await withDatabase(tools, ({ sql }) => rebuildStats(sql, systemClock.now(), retention.logDays));
      const { accounts, days, messages } = rebuilt;
      const text = `Counted ${messages} messages of ${accounts} accounts anew, on ${days} days.`;
      answer(tools, options, { rebuilt: true, ...rebuilt }, text);
    });
}
