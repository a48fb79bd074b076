import { Command, type Help } from 'commander';
import type { CliIo } from '../cli-io.ts';
import type { CommandDescription } from '../command-description.ts';
import { EXIT_CODE_MEANINGS, EXIT_CODES, type ExitCodeName } from '../exit-codes.ts';
import { addGlobalOptions, GLOBAL_OPTIONS_TITLE, readGlobalOptions } from '../global-options.ts';
import type { Invocation } from '../invocation.ts';
import { readVersion } from '../version.ts';
import { describeCommand, outlineCommand, readOwnValues, readValues } from './describe-command.ts';
import { ALL_REACHED, findReached, type ReachedCommands } from './reached-commands.ts';

/** Shared by all commands of the tree. */
interface Building {
  readonly io: CliIo;
  /** Called with the parsed command line. */
  readonly run: (invocation: Invocation) => Promise<void>;
  readonly reached: ReachedCommands;
}

/**
 * The root of the command tree; `run` is called with the parsed command line. If `argv` is passed, commands that it cannot reach have only a
 * name and a summary.
 */
export function buildProgram(
  commands: readonly CommandDescription[],
  io: CliIo,
  run: (invocation: Invocation) => Promise<void>,
  argv?: readonly string[],
): Command {
  const words = commands.flatMap(({ command, shortcut = [] }) => [command].concat(shortcut));
  const reached = argv === undefined ? ALL_REACHED : findReached(words, namedAsHere(commands, argv));
  const building = { io, run, reached };
  const program = new Command('postrider')
    .description('Sends transactional email through a Postrider server and follows its delivery.')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // Errors are reported in one place, in the requested form.
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns || 80,
      getErrHelpWidth: () => io.stderr.columns || 80,
    })
    .configureHelp({ subcommandTerm: termOf, commandUsage: usageOf, minWidthToWrap: HELP_COLUMNS_MIN })
    .helpCommand('help [command]', 'Print help for a command.')
    .version(readVersion(), '-V, --version', 'Print the version.')
    .addHelpText('after', ({ command }) => rootHelp(command.createHelp(), io.stdout.columns || 80));
  program.options.find(({ long }) => long === '--version')?.helpGroup(GLOBAL_OPTIONS_TITLE);
  addGlobalOptions(program);
  const second = commands.filter(hasShortcut);
  for (const description of second.filter((one) => !isOfOwnGroup(one))) {
    const { command, shortcut, summary } = description;
    addCommand(program, { ...description, command: shortcut }, building).summary(`${summary}; same as ${command}`);
  }
  for (const description of commands) addCommand(program, description, building);
  for (const description of second.filter(isOfOwnGroup))
    addCommand(program, { ...description, command: description.shortcut }, building);
  return program;
}

/** Only the command's own name: commander would also print its alias, the SDK's method name. */
function usageOf(command: Command): string {
  const words = [command.name()];
  for (let parent = command.parent; parent !== null; parent = parent.parent) words.unshift(parent.name());
  return `${words.join(' ')} ${command.usage()}`;
}

type WithShortcut = CommandDescription & { readonly shortcut: string };

function hasShortcut(description: CommandDescription): description is WithShortcut {
  return description.shortcut !== undefined;
}

/** Whether the shortcut is the name of the command's own group. */
function isOfOwnGroup({ command, shortcut }: WithShortcut): boolean {
  return command.startsWith(`${shortcut} `);
}

/** The SDK's method name if it differs from the command's, so that users who know the method find the command. */
function methodNameOf({ id, command }: CommandDescription): string | null {
  const method = /^[^ .]+\.([^ ]+)$/.exec(id)?.[1];
  return method === undefined || command.split(' ').at(-1) === method ? null : method;
}

/** The words of a command line, plus the commands' own words for SDK method names. */
function namedAsHere(commands: readonly CommandDescription[], argv: readonly string[]): readonly string[] {
  const given = new Set(argv);
  const own = commands.filter((one) => given.has(methodNameOf(one) ?? ''));
  return [...argv, ...own.flatMap(({ command }) => command.split(' ').slice(1))];
}

function addCommand(program: Command, description: CommandDescription, building: Building): Command {
  const words = description.command.split(' ');
  const leaf = words.pop() ?? description.command;
  let parent = program;
  for (const word of words)
    parent = parent.commands.find((group) => group.name() === word) ?? addGroup(parent, word, building);
  const added = addLeaf(parent, leaf, description, building);
  const methodName = methodNameOf(description);
  if (methodName !== null && description.command !== description.shortcut) added.alias(methodName);
  if (parent !== program) parent.summary(parent.commands.map((command) => command.name()).join(', '));
  return added;
}

function addGroup(parent: Command, name: string, { reached }: Building): Command {
  const group = parent.command(name).description(`Commands for ${name}.`).helpCommand(false);
  return reached.includesGroup(name) ? addGlobalOptions(group).enablePositionalOptions() : group;
}

function addLeaf(
  parent: Command,
  name: string,
  description: CommandDescription,
  { io, run, reached }: Building,
): Command {
  // A group can be a command too.
  const group = parent.commands.find((known) => known.name() === name);
  if (!reached.includes(description.command)) {
    const outlined = outlineCommand(group ?? parent.command(name), description);
    if (group !== undefined) asGroup(group);
    return outlined;
  }
  const command = describeCommand(group ?? parent.command(name), description);
  if (group !== undefined) asGroup(group);
  if (group === undefined) addGlobalOptions(command);
  return command.action(() => {
    return run({
      command: description,
      values: readValues(command, description),
      own: readOwnValues(command, description),
      options: readGlobalOptions(command, io),
    });
  });
}

/** Makes a command that is also a group list its subcommands. */
function asGroup(group: Command): void {
  group.summary(`${group.summary()}; ${group.commands.map((command) => command.name()).join(', ')}`);
  group.usage('[options] [command]');
}

/** A command in the list of its group: its name and its arguments. */
function termOf(command: Command): string {
  return [command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(' ');
}

/** Descriptions wrap down to this width: in a terminal of 60 columns, flags leave little more. */
const HELP_COLUMNS_MIN = 20;

const PROFILE_HELP =
  'The server and the key come from the first of these: --base-url and --api-key, or --profile; POSTRIDER_BASE_URL and ' +
  'POSTRIDER_API_KEY; the profile that postrider login saved; the file .postrider/quickstart.json, which a development server ' +
  'writes for clients on its machine.';
const OUTPUT_HELP =
  'The result goes to stdout, everything else to stderr. With --json, the result is the API’s JSON document, and an error is its ' +
  'problem document on stderr.';
const ID_HELP =
  'Commands that accept an id also accept its first 8 or more characters, if only one id begins with them. Before an irreversible ' +
  'change, the command shows what matched and asks you to confirm; scripts must pass the whole id.';

function rootHelp(help: Help, columns: number): string {
  help.prepareContext({ helpWidth: columns });
  // The keys of EXIT_CODES, which Object.keys widens to string.
  const names = Object.keys(EXIT_CODES) as ExitCodeName[];
  const codes = names.map((name) => help.formatItem(String(EXIT_CODES[name]), 3, EXIT_CODE_MEANINGS[name], help));
  const paragraphs = [PROFILE_HELP, OUTPUT_HELP, ID_HELP].map((text) => help.boxWrap(text, columns));
  return ['', ...paragraphs.flatMap((text) => [text, '']), 'Exit codes:', ...codes].join('\n');
}
