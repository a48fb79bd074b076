import type { CliIo } from '../../cli-io.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { CliFailure } from '../../failure.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { chooseTargets, readName, type Target } from '../../mcp-clients/choose-targets.ts';
import { createProgramEntry, createRemoteEntry, type ToolChoice } from '../../mcp-clients/create-entries.ts';
import { toTomlTables } from '../../mcp-clients/edit-toml.ts';
import { type Installed, installEntry } from '../../mcp-clients/install-entry.ts';
import { CLIENT_NAMES, entryOf, type McpClient, type ServerEntry } from '../../mcp-clients/mcp-clients.ts';
import type { Output } from '../../output/output.ts';
import { choicesFlag, switchFlag, textFlag } from '../../own-flag.ts';

/** A client with the entry for it, or the reason why there is none. */
interface Plan extends Target {
  readonly entry: ServerEntry | { readonly kind: 'none'; readonly reason: string };
}

type Written = Plan & { readonly result: Installed };

/** Adds the MCP server to the settings of MCP clients. */
export const definition = defineCommand({
  id: 'mcp install',
  about: {
    summary: 'Add Postrider to MCP clients',
    description: `Adds the MCP server to the configuration of MCP clients: those found on this machine, or those named with \`--client\` (${CLIENT_NAMES.join(', ')}). The entry is the address of the server, without a key: you sign in from the client, and choose in the browser what the agent may send. With \`--key\` or \`--api-key\`, and for Claude Desktop, which cannot sign in this way, the entry starts the program with a key. That key is written to the file, so create a separate one with only the scopes that the agent needs. The rest of each file stays unchanged, comments included, and a backup is saved next to it. With \`--print\`, nothing is written.`,
    needsKey: false,
    scope: null,
    examples: [
      'postrider mcp install --print',
      'postrider mcp install --client claude-code --base-url https://mail.example.com',
      'postrider mcp install --client claude-desktop --api-key <key> --base-url https://mail.example.com',
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
    key: switchFlag(
      '--key',
      'Write an API key instead of signing in: that of --api-key, POSTRIDER_API_KEY or the profile.',
    ),
    print: switchFlag('--print', 'Print the configuration and write nothing.'),
    toolsets: textFlag('--toolsets <list>', 'Toolsets to add to the default tools, separated by commas.'),
    readonly: switchFlag('--readonly', 'Only read-only tools.'),
  },
  async runAlone({ own, options }, output, io) {
    const name = readName(own.name);
    const targets = await chooseTargets(own.client, io);
    const usesKey = own.key === true || options.apiKey !== undefined;
    const plans = await planEntries(targets, usesKey, own, options, io);
    if (own.print === true) {
      print(plans, name, output);
      return plans.some(({ entry }) => entry.kind === 'none') ? EXIT_CODES.refused : EXIT_CODES.done;
    }
    const written: Written[] = [];
    for (const plan of plans) written.push({ ...plan, result: await write(plan, name) });
    report(written, name, output);
    return written.some(({ result }) => result.status === 'refused') ? EXIT_CODES.refused : EXIT_CODES.done;
  },
});

/**
 * The user signs in wherever the client can, unless they asked for a key. The key in the environment is often their own, so it is written
 * only for clients that need one.
 */
async function planEntries(
  targets: readonly Target[],
  usesKey: boolean,
  tools: ToolChoice,
  options: GlobalOptions,
  io: CliIo,
): Promise<readonly Plan[]> {
  const signsIn = ({ client }: Target) => !usesKey && client.remote !== null;
  const remote = targets.some(signsIn) ? await createRemoteEntry(tools, options, io) : null;
  const withKey = targets.every(signsIn) ? null : await createKeyEntry(remote !== null, tools, options, io);
  return targets.flatMap((target) => {
    const entry = signsIn(target) ? remote : withKey;
    return entry === null ? [] : [{ ...target, entry }];
  });
}

/** @param isOptional if there is no key, other clients can be set up anyway */
async function createKeyEntry(
  isOptional: boolean,
  tools: ToolChoice,
  options: GlobalOptions,
  io: CliIo,
): Promise<Plan['entry']> {
  try {
    return await createProgramEntry(tools, options, io);
  } catch (error) {
    if (!isOptional || !(error instanceof CliFailure)) throw error;
    return { kind: 'none', reason: 'it cannot sign in by its settings, and there is no key for it: pass --api-key' };
  }
}

async function write({ client, path, entry }: Plan, name: string): Promise<Installed> {
  if (entry.kind === 'none') return { status: 'refused', reason: entry.reason };
  return await installEntry(client, path, name, entry, new Date());
}

/** What the user does next to sign in; null if the entry has a key. */
function nextOf({ client, entry }: Plan, name: string): string | null {
  return entry.kind === 'remote' ? (client.remote?.signIn(name) ?? null) : null;
}

function print(plans: readonly Plan[], name: string, output: Output): void {
  if (output.isJson) {
    const clients = plans.map((plan) => {
      const { client, path, entry } = plan;
      return { client: client.name, path, content: toContent(client, name, entry), next: nextOf(plan, name) };
    });
    output.writeJson({ clients });
    return;
  }
  const parts = plans.map(({ client, path, entry }) => {
    const content = entry.kind === 'none' ? `${entry.reason}\n` : toContent(client, name, entry);
    return `${client.title}: ${path}\n\n${content}`;
  });
  output.writeText(`${parts.join('\n')}`);
}

/** The content of a file with no other settings. */
function toContent(client: McpClient, name: string, entry: Plan['entry']): string | null {
  if (entry.kind === 'none') return null;
  if (client.format === 'toml') return toTomlTables(client.section, name, entry);
  return `${JSON.stringify({ [client.section]: { [name]: entryOf(client, entry) } }, null, 2)}\n`;
}

function report(written: readonly Written[], name: string, output: Output): void {
  if (output.isJson) {
    const clients = written.map((one) => {
      const { client, path, entry, result } = one;
      const next = result.status === 'refused' ? null : nextOf(one, name);
      return { client: client.name, path, ...result, signsIn: entry.kind === 'remote', next };
    });
    output.writeJson({ clients });
    return;
  }
  for (const one of written) {
    output.writeText(`${one.client.title}: ${describe(one)}\n`);
    const next = one.result.status === 'refused' ? null : nextOf(one, name);
    if (next !== null) output.writeText(`  ${next}\n`);
  }
  const done = written.filter(({ result }) => result.status !== 'refused');
  if (done.some(({ result }) => result.status === 'installed')) {
    output.remark('Restart clients that are open, to load the change.');
  }
  if (done.some(({ entry }) => entry.kind === 'remote')) {
    output.remark(
      'Signing in opens the browser. There you choose what the agent may send. If you change nothing, every message waits for your approval.',
    );
  }
}

function describe({ client, entry, path, result }: Written): string {
  switch (result.status) {
    case 'installed':
      return `added to ${path}${keyNote(client, entry)}${result.backup === null ? '' : ` (backup: ${result.backup})`}`;
    case 'unchanged':
      return `already set up in ${path}`;
    case 'refused':
      return `${path} was not changed: ${result.reason}.${entry.kind === 'none' ? '' : ' To add it by hand, see: postrider mcp install --client … --print'}`;
  }
}

function keyNote({ remote }: McpClient, { kind }: Plan['entry']): string {
  if (kind !== 'program') return '';
  return remote === null ? ' with a key, because it cannot sign in by its settings' : ' with a key';
}
