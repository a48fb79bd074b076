import { type Command, Option } from 'commander';
import type { CommandDescription } from '../../command-description.ts';
import { CLIENT_NAMES, MCP_CLIENTS } from './mcp-clients.ts';

export const MCP_INSTALL_COMMAND = 'mcp install';

export const MCP_INSTALL: CommandDescription = {
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

export function describeMcpInstall(command: Command): Command {
  const client = new Option(
    '--client <name...>',
    'Only this program; give it again for further ones. All that are found unless given.',
  );
  return command
    .addOption(client.choices(MCP_CLIENTS.map(({ name }) => name)))
    .addOption(new Option('--print', 'Print what would be entered, and write nothing.'))
    .addOption(new Option('--name <name>', 'What the server is called there.').default('postrider'))
    .addOption(new Option('--toolsets <list>', 'Tools beyond the default ones, parted by commas.'))
    .addOption(new Option('--readonly', 'Only tools that change and send nothing.'));
}
