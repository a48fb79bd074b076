import type { CommandDescription } from './command-description.ts';
import { COMMANDS, OWN_COMMANDS } from './generated/commands.ts';

export const ALL_COMMANDS: readonly CommandDescription[] = [...COMMANDS, ...OWN_COMMANDS];
