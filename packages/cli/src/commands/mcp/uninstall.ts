import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { namedTargets, readName, type Target } from '../../mcp-clients/choose-targets.ts';
import { type Removed, removeEntry } from '../../mcp-clients/install-entry.ts';
import { CLIENT_NAMES } from '../../mcp-clients/mcp-clients.ts';
import { choicesFlag, textFlag } from '../../own-flag.ts';

/** Removes the MCP server from the settings of MCP clients. */
export const definition = defineCommand({
  id: 'mcp uninstall',
  about: {
    summary: 'Remove Postrider from MCP clients',
    description: `Removes the MCP server from the configuration of MCP clients: all that have it, or those named with \`--client\` (${CLIENT_NAMES.join(', ')}). The rest of each file stays unchanged, and a backup is saved next to it. A key or a sign-in that the entry used still works until you revoke it.`,
    needsKey: false,
    scope: null,
    examples: ['postrider mcp uninstall', 'postrider mcp uninstall --client cursor'],
  },
  flags: {
    client: choicesFlag('--client <name...>', 'Only this client. Repeatable; default: all that have it.', CLIENT_NAMES),
    name: textFlag('--name <name>', 'Name of the server in the configuration.', { default: 'postrider' }),
  },
  async runAlone({ own }, output, io) {
    const name = readName(own.name);
    const results: (Target & { readonly result: Removed })[] = [];
    for (const target of namedTargets(own.client, io)) {
      const result = await removeEntry(target.client, target.path, name, new Date());
      // Without --client, clients that never had it are not reported.
      if (result.status !== 'absent' || own.client !== undefined) results.push({ ...target, result });
    }
    if (output.isJson) {
      output.writeJson({
        clients: results.map(({ client, path, result }) => ({ client: client.name, path, ...result })),
      });
    } else {
      for (const { client, path, result } of results) output.writeText(`${client.title}: ${describe(result, path)}\n`);
      if (results.length === 0) output.writeText(`No client has a server named ${name}.\n`);
      if (results.some(({ result }) => result.status === 'removed')) {
        output.remark(
          'Restart the clients to load the change. The key or sign-in still works until you revoke it with postrider keys revoke.',
        );
      }
    }
    return results.some(({ result }) => result.status === 'refused') ? EXIT_CODES.refused : EXIT_CODES.done;
  },
});

function describe(result: Removed, path: string): string {
  switch (result.status) {
    case 'removed':
      return `removed from ${path} (backup: ${result.backup})`;
    case 'absent':
      return `not in ${path}`;
    case 'refused':
      return `${path} was not changed: ${result.reason}`;
  }
}
