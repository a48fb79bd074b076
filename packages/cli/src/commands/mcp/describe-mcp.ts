import { type Command, Option } from 'commander';
import type { CommandDescription } from '../../command-description.ts';
import { CLIENT_NAMES, MCP_CLIENTS } from './mcp-clients.ts';

export const MCP_INSTALL_COMMAND = 'mcp install';

const MCP_INSTALL: CommandDescription = {
  id: MCP_INSTALL_COMMAND,
  command: MCP_INSTALL_COMMAND,
  summary: 'Set up agents’ programs to use Postrider',
  description: `Enters the MCP server into the configuration of agents’ programs: those that are found on this machine, or those that \`--client\` names (${CLIENT_NAMES.join(', ')}). Whatever else a file holds stays as it is, comments included, and a copy of the file is kept beside it. The key goes into the file: give the agent one of its own, that may do no more than it should. With \`--print\` nothing is written.`,
  needsKey: false,
  scope: null,
  examples: [
    'postrider mcp install --print',
    'postrider mcp install --client claude-code --api-key <key> --base-url https://mail.example.com',
    'postrider mcp install --client cursor --client vscode --toolsets templates,domains --readonly',
  ],
  inputs: [],
};

export const MCP_UNINSTALL_COMMAND = 'mcp uninstall';

const MCP_UNINSTALL: CommandDescription = {
  id: MCP_UNINSTALL_COMMAND,
  command: MCP_UNINSTALL_COMMAND,
  summary: 'Take Postrider out of agents’ programs',
  description: `Takes the MCP server out of the configuration of agents’ programs: of all that have it, or of those that \`--client\` names (${CLIENT_NAMES.join(', ')}). Whatever else a file holds stays as it is, and a copy of the file is kept beside it. The key that stood there goes on working until it is revoked.`,
  needsKey: false,
  scope: null,
  examples: ['postrider mcp uninstall', 'postrider mcp uninstall --client cursor'],
  inputs: [],
};

export const MCP_COMMANDS: readonly CommandDescription[] = [MCP_INSTALL, MCP_UNINSTALL];

/** What both commands have, and what installing has alone. */
export function describeMcp(command: Command, id: string): Command {
  const isInstall = id === MCP_INSTALL_COMMAND;
  const all = isInstall ? 'All that are found unless given.' : 'All that have it unless given.';
  const client = new Option('--client <name...>', `Only this program; give it again for further ones. ${all}`);
  command
    .addOption(client.choices(MCP_CLIENTS.map(({ name }) => name)))
    .addOption(new Option('--name <name>', 'What the server is called there.').default('postrider'));
  return isInstall ? describeInstall(command) : command;
}

function describeInstall(command: Command): Command {
  return command
    .addOption(new Option('--print', 'Print what would be entered, and write nothing.'))
    .addOption(new Option('--toolsets <list>', 'Tools beyond the default ones, parted by commas.'))
    .addOption(new Option('--readonly', 'Only tools that change and send nothing.'));
}
