import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { addAuditCommands } from './audit-commands.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEraseCommand } from './erase-command.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addPasskeysCommands } from './passkeys-commands.ts';
import { addReceiptsCommands } from './receipts-commands.ts';
import { addSecretsCommands } from './secrets-commands.ts';
import { createStartProgram, type ProgramOptions, requireConfig } from './start-program.ts';
import { addStatsCommands } from './stats-commands.ts';
import { addTicketCommands } from './ticket-commands.ts';

/**
 * The command line `postrider-server`. A command rejects with a StartError if a user must fix something first, and with
 * a CommanderError if the command line is wrong or help was requested.
 */
export function createProgram(options: ProgramOptions): Command {
  const { environment, write, progress } = options;
  const program = createStartProgram(options);
  const operator = { readConfig: () => requireConfig(environment), write, progress };
  addOperatorCommands(program, operator);
  addEraseCommand(program, operator);
  addStatsCommands(program, operator);
  addTicketCommands(program, operator);
  addAuditCommands(program, operator);
  addSecretsCommands(program, operator);
  addReceiptsCommands(program, operator);
  addPasskeysCommands(program, operator);
  addDoctorCommand(program, { readConfig: () => readConfig(environment), write, progress });
  return program;
}
