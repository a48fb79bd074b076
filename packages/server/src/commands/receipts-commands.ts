import { hostname } from 'node:os';
import type { Command } from 'commander';
import { adoptApprovals } from '../approvals/adopt-approvals.ts';
import { baseUrlOf } from '../base-url.ts';
import { systemClock } from '../clock.ts';
import { createInstallationBox } from '../keys/secret-box.ts';
import { rotateReceiptKey } from '../receipts/receipts.ts';
import { createIdGenerator } from '../uuid-v7.ts';
import { type OperatorTools, response, withDatabase } from './operator-commands.ts';

/** The operator's commands for the key that signs receipts of approvals. */
export function addReceiptsCommands(program: Command, tools: OperatorTools): void {
  const receipts = program.command('receipts').description('rotate the key of receipts, and sign missing receipts');
  receipts
    .command('rotate')
    .description(
      'create a new key for receipts of approvals; receipts of the former key stay valid, and its private half is deleted',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const box = createInstallationBox(tools.readConfig());
      const { kid } = await withDatabase(tools, ({ sql }) =>
        rotateReceiptKey({ sql, box, clock: systemClock, ids: createIdGenerator() }),
      );
      response(
        tools,
        options,
        { kid },
        `The key ${kid} signs receipts from now on; running servers use it within a minute.`,
      );
    });
  receipts
    .command('adopt')
    .description(
      'sign receipts for approved emails that wait for their delivery without one, because they were approved before there were receipts; they fail otherwise',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const config = tools.readConfig();
      const box = createInstallationBox(config);
      const baseUrl = config.baseUrl ?? baseUrlOf(config.host, config.port, hostname());
      const adopted = await withDatabase(tools, ({ sql }) =>
        adoptApprovals({ sql, box, clock: systemClock, ids: createIdGenerator() }, baseUrl),
      );
      response(tools, options, { adopted }, `Signed ${adopted} receipts.`);
    });
}
