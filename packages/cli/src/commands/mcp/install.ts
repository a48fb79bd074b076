import { dirname, resolve } from 'node:path';
import { readProfile } from '@postrider/mcp/credentials';
import { findCredentials } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { ownFailure } from '../../failure.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { chooseTargets, readName, type Target } from '../../mcp-clients/choose-targets.ts';
import { toTomlTables } from '../../mcp-clients/edit-toml.ts';
import { findMcpProgram } from '../../mcp-clients/find-mcp-program.ts';
import { type Installed, installEntry } from '../../mcp-clients/install-entry.ts';
import { CLIENT_NAMES, entryOf, type McpClient, type ServerEntry } from '../../mcp-clients/mcp-clients.ts';
import type { Output } from '../../output/output.ts';
import { choicesFlag, switchFlag, textFlag } from '../../own-flag.ts';

/** Adds the MCP server to the settings of MCP clients. */
export const definition = defineCommand({
  id: 'mcp install',
  about: {
    summary: 'Add Postrider to MCP clients',
    description: `Adds the MCP server to the configuration of MCP clients: those found on this machine, or those named with \`--client\` (${CLIENT_NAMES.join(', ')}). The rest of each file stays unchanged, comments included, and a backup is saved next to it. The key is written to the file, so create a separate key with only the scopes that the agent needs. With \`--print\`, nothing is written.`,
    needsKey: false,
    scope: null,
    examples: [
      'postrider mcp install --print',
      'postrider mcp install --client claude-code --api-key <key> --base-url https://mail.example.com',
      'postrider mcp install --client cursor --client vscode --toolsets templates,domains --readonly',
    ],
  },
  flags: {
    client: choicesFlag(
      '--client <name...>',
      'Only this client. Repeatable; default: all that are found.',
      CLIENT_NAMES,
    ),
    name: textFlag('--name <name>', 'Name of the server in the configuration.', { default: 'postrider' }),
    print: switchFlag('--print', 'Print the configuration and write nothing.'),
    toolsets: textFlag('--toolsets <list>', 'Toolsets to add to the default tools, separated by commas.'),
    readonly: switchFlag('--readonly', 'Only read-only tools.'),
  },
  async runAlone({ own, options }, output, io) {
    const name = readName(own.name);
    const targets = await chooseTargets(own.client, io);
    const entry = await createEntry(own, options, io);
    if (own.print === true) {
      print(targets, name, entry, output);
      return EXIT_CODES.done;
    }
    const results: (Target & { readonly result: Installed })[] = [];
    for (const target of targets) {
      results.push({ ...target, result: await installEntry(target.client, target.path, name, entry, new Date()) });
    }
    report(results, output);
    return results.some(({ result }) => result.status === 'refused') ? EXIT_CODES.refused : EXIT_CODES.done;
  },
});

async function createEntry(
  { toolsets, readonly }: { readonly toolsets: string | undefined; readonly readonly: true | undefined },
  options: GlobalOptions,
  io: CliIo,
): Promise<ServerEntry> {
  const chosen = [
    ...(toolsets === undefined ? [] : ['--toolsets', toolsets]),
    ...(readonly === true ? ['--readonly'] : []),
  ];
  const run = [...(await findMcpProgram(import.meta.dirname)), ...chosen];
  // On Windows, npx is a script, which programs can start only through cmd.
  const [command = '', ...args] = process.platform === 'win32' ? ['cmd', '/c', ...run] : run;
  return { command, args, env: await credentialsOf(options, io) };
}

/** The environment from which the MCP server reads its key: the data directory of a development server, or else the key itself. */
async function credentialsOf(options: GlobalOptions, io: CliIo): Promise<Readonly<Record<string, string>>> {
  const { apiKey, baseUrl } = await findCredentials(options, io, true);
  if (apiKey?.startsWith('prs_')) {
    const detail = 'the sign-in of a user is not for agents, which need a key with limited scopes';
    const fix = 'Create one with postrider keys create, and pass it with --api-key and --base-url.';
    throw ownFailure(EXIT_CODES.authentication, 'key_required', 'An agent needs a key of its own', detail, fix);
  }
  const dataDir = options.dataDir ?? io.env['POSTRIDER_DATA_DIR'];
  const verdict = await readProfile({ ...io.env, ...(dataDir ? { POSTRIDER_DATA_DIR: dataDir } : {}) }, io.cwd);
  const profile = verdict.ok ? verdict.profile : null;
  // The key of a development server changes with its data, and a reference avoids a second copy of it.
  if (profile !== null && profile.key === apiKey && profile.baseUrl === baseUrl) {
    return { POSTRIDER_DATA_DIR: dirname(resolve(io.cwd, profile.path)) };
  }
  return { POSTRIDER_API_KEY: apiKey ?? '', ...(baseUrl === undefined ? {} : { POSTRIDER_BASE_URL: baseUrl }) };
}

function print(targets: readonly Target[], name: string, entry: ServerEntry, output: Output): void {
  if (output.isJson) {
    const clients = targets.map(({ client, path }) => ({
      client: client.name,
      path,
      content: toContent(client, name, entry),
    }));
    output.writeJson({ clients });
    return;
  }
  const parts = targets.map(({ client, path }) => `${client.title}: ${path}\n\n${toContent(client, name, entry)}`);
  output.writeText(`${parts.join('\n')}`);
}

/** The content of a file with no other settings. */
function toContent(client: McpClient, name: string, entry: ServerEntry): string {
  if (client.format === 'toml') return toTomlTables(client.section, name, entry);
  return `${JSON.stringify({ [client.section]: { [name]: entryOf(client, entry) } }, null, 2)}\n`;
}

function report(results: readonly (Target & { readonly result: Installed })[], output: Output): void {
  if (output.isJson) {
    output.writeJson({
      clients: results.map(({ client, path, result }) => ({ client: client.name, path, ...result })),
    });
    return;
  }
  for (const { client, path, result } of results) output.writeText(`${client.title}: ${describe(result, path)}\n`);
  const isWritten = results.some(({ result }) => result.status === 'installed');
  if (isWritten) output.remark('Restart the clients to load the change.');
}

function describe(result: Installed, path: string): string {
  switch (result.status) {
    case 'installed':
      return `added to ${path}${result.backup === null ? '' : ` (backup: ${result.backup})`}`;
    case 'unchanged':
      return `already set up in ${path}`;
    case 'refused':
      return `${path} was not changed: ${result.reason}. To add it by hand, see: postrider mcp install --client … --print`;
  }
}
