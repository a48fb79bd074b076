import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { namedTargets, readName, type Target } from '../../mcp-clients/choose-targets.ts';
import { type Removed, removeEntry } from '../../mcp-clients/install-entry.ts';
import { CLIENT_NAMES } from '../../mcp-clients/mcp-clients.ts';
import { choicesFlag, textFlag } from '../../own-flag.ts';

/** Takes the MCP server out of the settings of agents' programs. */
export const definition = defineCommand({
  id: 'mcp uninstall',
  about: {
    summary: 'Take Postrider out of agents’ programs',
    description: `Takes the MCP server out of the configuration of agents’ programs: of all that have it, or of those that \`--client\` names (${CLIENT_NAMES.join(', ')}). Whatever else a file holds stays as it is, and a copy of the file is kept beside it. The key that stood there goes on working until it is revoked.`,
    needsKey: false,
    scope: null,
    examples: ['postrider mcp uninstall', 'postrider mcp uninstall --client cursor'],
  },
  flags: {
    client: choicesFlag(
      '--client <name...>',
      `Only this program; give it again for further ones. All that have it unless given.`,
      CLIENT_NAMES,
    ),
    name: textFlag('--name <name>', 'What the server is called there.', { default: 'postrider' }),
  },
  async runAlone({ own }, output, io) {
    const name = readName(own.name);
    const results: (Target & { readonly result: Removed })[] = [];
    for (const target of namedTargets(own.client, io)) {
      const result = await removeEntry(target.client, target.path, name, new Date());
      // Of programs that nobody named, those without it are no news.
      if (result.status !== 'absent' || own.client !== undefined) results.push({ ...target, result });
    }
    if (output.isJson) {
      output.writeJson({
        clients: results.map(({ client, path, result }) => ({ client: client.name, path, ...result })),
      });
    } else {
      for (const { client, path, result } of results) output.writeText(`${client.title}: ${describe(result, path)}\n`);
      if (results.length === 0) output.writeText(`No program has a server ${name}.\n`);
      if (results.some(({ result }) => result.status === 'removed')) {
        output.remark(
          'Start the programs again, so that they read it. The key still works: postrider keys revoke ends it.',
        );
      }
    }
    return results.some(({ result }) => result.status === 'refused') ? EXIT_CODES.refused : EXIT_CODES.done;
  },
});

function describe(result: Removed, path: string): string {
  switch (result.status) {
    case 'removed':
      return `taken out of ${path} (before: ${result.backup})`;
    case 'absent':
      return `is not in ${path}`;
    case 'refused':
      return `${path} was left as it is: ${result.reason}`;
  }
}
