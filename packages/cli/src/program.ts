import { Command, type Help } from 'commander';
import type { CliIo } from './cli-io.ts';
import type { CommandDescription } from './command-description.ts';
import { DELETE_ACCOUNT_OPERATION, describeDeleteAccount } from './commands/account/describe-account.ts';
import { describeApprovals } from './commands/approvals/describe-approvals.ts';
import { addAttachFlag } from './commands/attach-flag.ts';
import { describeVerify, VERIFY_COMMAND } from './commands/audit/describe-verify.ts';
import { CONTENT_OPERATIONS, describeContentFlags } from './commands/content-flags.ts';
import { BATCH_OPERATION, describeBatch } from './commands/describe-batch.ts';
import { describeCommand, outlineCommand, readValues } from './commands/describe-command.ts';
import { addWaitFlag, isSend } from './commands/describe-send.ts';
import { describeSuppress, SUPPRESS_OPERATION } from './commands/describe-suppress.ts';
import { DEV_COMMAND, describeDev } from './commands/dev/describe-dev.ts';
import { describeDomains } from './commands/domains/describe-domains.ts';
import { describeExport, EXPORT_OPERATION } from './commands/log/describe-export.ts';
import { describeTail, TAIL_COMMANDS } from './commands/log/describe-tail.ts';
import { describeMcp, MCP_COMMANDS } from './commands/mcp/describe-mcp.ts';
import { describeProfiles } from './commands/people/describe-people.ts';
import { describeProgramCommand, PROGRAM_COMMANDS } from './commands/program/describe-program.ts';
import { describePlacement, PLACEMENT_OPERATION } from './commands/tools/describe-placement.ts';
import { describeWebhooks } from './commands/webhooks/describe-webhooks.ts';
import { EXIT_CODE_MEANINGS, EXIT_CODES, type ExitCodeName } from './exit-codes.ts';
import { usageFailure } from './failure.ts';
import { addGlobalOptions, GLOBAL_OPTIONS_TITLE, readGlobalOptions } from './global-options.ts';
import type { Invocation } from './invocation.ts';
import { ALL_REACHED, findReached, type ReachedCommands } from './reached-commands.ts';
import { readVersion } from './version.ts';

/** Second names of commands, at the top: what is used most is shortest. */
const SHORTCUTS: Readonly<Record<string, string>> = {
  send: 'emails send',
  batch: 'emails batch',
  stats: 'account stats',
  tail: 'emails tail',
  'logs tail': 'requests tail',
};

/** The SDK's word for a command that has another one here: who knows the method finds the command. */
const METHOD_NAMES: Readonly<Record<string, string>> = {
  'domains add': 'create',
  'emails batch': 'send-batch',
  'suppressions add': 'create',
  'suppressions remove': 'delete',
  'team change': 'update',
};

/** What the name of a group does without a word behind it. */
const GROUP_DEFAULTS: Readonly<Record<string, string>> = { account: 'account get' };

/** What every command of the tree is made with. */
interface Building {
  readonly io: CliIo;
  /** Called with what the command line asks for. */
  readonly run: (invocation: Invocation) => Promise<void>;
  readonly reached: ReachedCommands;
}

/**
 * The root of the command tree; `run` is called with what the command line asks for. Given the command line, what it cannot come to has a name
 * and a summary only.
 */
export function buildProgram(
  commands: readonly CommandDescription[],
  io: CliIo,
  run: (invocation: Invocation) => Promise<void>,
  argv?: readonly string[],
): Command {
  const words = [...Object.keys(SHORTCUTS), ...Object.keys(GROUP_DEFAULTS), ...commands.map(({ command }) => command)];
  const building = { io, run, reached: argv === undefined ? ALL_REACHED : findReached(words, namedAsHere(argv)) };
  const program = new Command('postrider')
    .description('Sends transactional email through a Postrider server and tells what became of it.')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // Failures are reported in one place, in the form the caller asked for.
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
    })
    .configureHelp({ subcommandTerm: termOf, commandUsage: usageOf })
    .helpCommand('help [command]', 'Print help for a command.')
    .version(readVersion(), '-V, --version', 'Print the version.')
    .addHelpText('after', ({ command }) => rootHelp(command.createHelp(), io.stdout.columns ?? 80));
  program.options.find(({ long }) => long === '--version')?.helpGroup(GLOBAL_OPTIONS_TITLE);
  addGlobalOptions(program);
  for (const [name, target] of Object.entries(SHORTCUTS)) {
    const description = commands.find(({ command }) => command === target);
    if (description !== undefined)
      addCommand(program, { ...description, command: name }, building).summary(`${description.summary}; as ${target}`);
  }
  for (const description of commands) addCommand(program, description, building);
  for (const [name, target] of Object.entries(GROUP_DEFAULTS)) {
    const description = commands.find(({ command }) => command === target);
    if (description !== undefined) addCommand(program, { ...description, command: name }, building);
  }
  return program;
}

/** By the command's own name alone: commander would name the SDK's word beside it. */
function usageOf(command: Command): string {
  const words = [command.name()];
  for (let parent = command.parent; parent !== null; parent = parent.parent) words.unshift(parent.name());
  return `${words.join(' ')} ${command.usage()}`;
}

/** The words of a command line, with the commands' own beside those of the SDK. */
function namedAsHere(argv: readonly string[]): readonly string[] {
  const own = Object.entries(METHOD_NAMES).filter(([, name]) => argv.includes(name));
  return [...argv, ...own.flatMap(([command]) => command.split(' ').slice(1))];
}

function addCommand(program: Command, description: CommandDescription, building: Building): Command {
  const words = description.command.split(' ');
  const leaf = words.pop() ?? description.command;
  let parent = program;
  for (const word of words)
    parent = parent.commands.find((group) => group.name() === word) ?? addGroup(parent, word, building);
  const added = addLeaf(parent, leaf, description, building);
  const methodName = METHOD_NAMES[description.command];
  if (methodName !== undefined) added.alias(methodName);
  if (parent !== program) parent.summary(parent.commands.map((command) => command.name()).join(', '));
  return added;
}

function addGroup(parent: Command, name: string, { reached }: Building): Command {
  const group = parent.command(name).description(`Commands about ${name}.`).helpCommand(false);
  return reached.includesGroup(name) ? addGlobalOptions(group).enablePositionalOptions() : group;
}

function addLeaf(
  parent: Command,
  name: string,
  description: CommandDescription,
  { io, run, reached }: Building,
): Command {
  // A group can do something by itself too: its own words then stand before those of its commands.
  const group = parent.commands.find((known) => known.name() === name);
  if (!reached.includes(description.command)) {
    const outlined = outlineCommand(group ?? parent.command(name), description);
    if (group !== undefined) asGroup(group);
    return outlined;
  }
  const command = describeCommand(group ?? parent.command(name), description);
  if (group !== undefined) asGroup(group);
  if (isSend(description.id)) addWaitFlag(addAttachFlag(command, description.id));
  if (description.id === BATCH_OPERATION) addWaitFlag(describeBatch(command));
  if (CONTENT_OPERATIONS.includes(description.id)) describeContentFlags(command);
  if (description.id === SUPPRESS_OPERATION) describeSuppress(command);
  if (description.id === DELETE_ACCOUNT_OPERATION) describeDeleteAccount(command);
  if (description.id.startsWith('domains.')) describeDomains(command, description.id);
  if (description.id === PLACEMENT_OPERATION) describePlacement(command);
  if (description.id.startsWith('profiles ')) describeProfiles(command, description.id);
  if (description.id.startsWith('webhooks ')) describeWebhooks(command, description.id);
  if (description.id === EXPORT_OPERATION) describeExport(command);
  if (TAIL_COMMANDS.includes(description.id)) describeTail(command);
  if (PROGRAM_COMMANDS.includes(description)) describeProgramCommand(command, description.id);
  if (description.id === VERIFY_COMMAND) describeVerify(command);
  if (MCP_COMMANDS.includes(description)) describeMcp(command, description.id);
  if (description.id === DEV_COMMAND) describeDev(command);
  if (description.id.startsWith('approvals ')) describeApprovals(command, description.id);
  if (group === undefined) addGlobalOptions(command);
  return command.action(() => {
    if (group !== undefined && command.args.length > 0) throw unknownCommand(command);
    return run({
      command: description,
      values: readValues(command, description),
      ownFlags: command.opts(),
      ownArguments: command.args,
      options: readGlobalOptions(command, io),
    });
  });
}

/** What its name alone does, and what stands below it. A word that is none of these is a mistake, and not left over. */
function asGroup(group: Command): void {
  group.summary(`${group.summary()}; ${group.commands.map((command) => command.name()).join(', ')}`);
  group.usage('[options] [command]').allowExcessArguments();
}

function unknownCommand(group: Command): Error {
  const names = group.commands.map((command) => command.name()).join(', ');
  return usageFailure(`unknown command '${group.args[0]}'`, `postrider ${group.name()} knows: ${names}`);
}

/** A command in the list of its group: its name and what it must be given. */
function termOf(command: Command): string {
  return [command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(' ');
}

const PROFILE_HELP =
  'The server and the key come from --base-url and --api-key or from --profile, else from POSTRIDER_BASE_URL and POSTRIDER_API_KEY, else ' +
  'from the profile that postrider login made, else from the file .postrider/quickstart.json, which a server in development writes for the ' +
  'tools on its machine.';
const OUTPUT_HELP =
  'The answer goes to stdout, everything else to stderr. With --json the answer is the API’s own JSON document, and a failure is its ' +
  'problem document, on stderr.';

function rootHelp(help: Help, columns: number): string {
  help.prepareContext({ helpWidth: columns });
  // The keys of EXIT_CODES, which Object.keys widens to string.
  const names = Object.keys(EXIT_CODES) as ExitCodeName[];
  const codes = names.map((name) => help.formatItem(String(EXIT_CODES[name]), 3, EXIT_CODE_MEANINGS[name], help));
  const paragraphs = [PROFILE_HELP, OUTPUT_HELP].map((text) => help.boxWrap(text, columns));
  return ['', ...paragraphs.flatMap((text) => [text, '']), 'Exit codes:', ...codes].join('\n');
}
