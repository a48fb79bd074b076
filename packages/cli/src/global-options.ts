import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliIo } from './cli-io.ts';
import { PROFILE_NAME } from './profile-name.ts';

/** The options that every command accepts. */
export interface GlobalOptions {
  readonly isJson: boolean;
  /** Whether the command line requests JSON explicitly. A result that scripts read as one word is JSON only then. */
  readonly isJsonAsked: boolean;
  /** Errors are printed as a problem document on stderr instead of sentences. */
  readonly hasJsonErrors: boolean;
  readonly hasColor: boolean;
  readonly isQuiet: boolean;
  /** False: what would be a prompt is an error instead. */
  readonly canPrompt: boolean;
  readonly timeoutSeconds: number;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly dataDir: string | undefined;
  /** A profile that postrider login saved. */
  readonly profile: string | undefined;
}

/** The heading of the global options in help. */
export const GLOBAL_OPTIONS_TITLE = 'Global options:';

const TIMEOUT_SECONDS_DEFAULT = 30;
const TIMEOUT_SECONDS_MAX = 3_600;

/** Shared by all commands: creating them for each of hundreds of commands took longer than parsing. Values are stored in commands. */
const GLOBAL_OPTIONS: readonly Option[] = [
  new Option('--json', 'Print the API response as JSON; the default if stdout is not a terminal.'),
  new Option('--no-json', 'Print readable text even if stdout is not a terminal.'),
  new Option('--output <format>', 'Output format; the same as --json or --no-json.')
    .choices(['json', 'table'])
    .conflicts('json'),
  new Option('--api-key <key>', 'API key; default: POSTRIDER_API_KEY, then the profile.'),
  new Option('--base-url <url>', 'URL of the server; default: POSTRIDER_BASE_URL, then the profile.').argParser(
    parseAddress,
  ),
  new Option('--data-dir <path>', 'Directory of quickstart.json; default: POSTRIDER_DATA_DIR, then .postrider.'),
  new Option(
    '--profile <name>',
    'Profile from postrider login; default: POSTRIDER_PROFILE, then the current one.',
  ).argParser(parseProfile),
  new Option(
    '--timeout <seconds>',
    `Timeout of one request, ${TIMEOUT_SECONDS_DEFAULT} by default; --wait adds its own time.`,
  ).argParser(parseTimeout),
  new Option('--no-color', 'Print without color; the variable NO_COLOR does the same.'),
  new Option('-q, --quiet', 'Print only results and errors, no hints.'),
  new Option('--no-input', 'Never prompt; fail and name the flag to pass instead.'),
].map((option) => option.helpGroup(GLOBAL_OPTIONS_TITLE));

/**
 * Adds the global options to one command. Every command of the tree has them, so that they work before and after its words: options of the
 * root alone would also match values of other flags (`--text --json`).
 */
export function addGlobalOptions(command: Command): Command {
  const own = new Set(command.options.map(({ long }) => long));
  for (const option of GLOBAL_OPTIONS) if (!own.has(option.long)) command.addOption(option);
  return command.addHelpOption(new Option('-h, --help', 'Print help.').helpGroup(GLOBAL_OPTIONS_TITLE));
}

/** The names that arguments of operations cannot use. `--version` is global only at the root; below, it can be a template's version. */
export const GLOBAL_FLAG_NAMES = [
  'json',
  'output',
  'api-key',
  'base-url',
  'data-dir',
  'profile',
  'timeout',
  'color',
  'quiet',
  'input',
  'help',
] as const;

/** The options from all levels; the level nearest to the command wins. */
export function readGlobalOptions(command: Command, io: CliIo): GlobalOptions {
  const given = givenOptions(command);
  const isJson = given['output'] === undefined ? given['json'] : given['output'] === 'json';
  return {
    ...outputForm(typeof isJson === 'boolean' ? isJson : undefined, io),
    isJsonAsked: isJson === true,
    hasColor: given['color'] !== false && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb',
    isQuiet: given['quiet'] === true,
    canPrompt: given['input'] !== false,
    timeoutSeconds: typeof given['timeout'] === 'number' ? given['timeout'] : TIMEOUT_SECONDS_DEFAULT,
    apiKey: textOrNothing(given['apiKey']),
    baseUrl: textOrNothing(given['baseUrl']),
    dataDir: textOrNothing(given['dataDir']),
    profile: textOrNothing(given['profile']),
  };
}

/** Guesses the form of an error for a command line that could not be parsed. */
export function guessOutputForm(argv: readonly string[], io: CliIo): Pick<GlobalOptions, 'isJson' | 'hasJsonErrors'> {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  if (words.includes('--json') || words.includes('--output=json')) return outputForm(true, io);
  if (words.includes('--no-json') || words.includes('--output=table')) return outputForm(false, io);
  const named = words.includes('--output') ? words[words.indexOf('--output') + 1] : undefined;
  // The --output of an export names a file.
  return outputForm(named === 'json' ? true : named === 'table' ? false : undefined, io);
}

/**
 * The result is JSON by default if stdout is not a terminal. Errors are sentences if stderr is a terminal: a user types `… | jq`, while a
 * program reads both streams.
 */
function outputForm(isJson: boolean | undefined, io: CliIo): Pick<GlobalOptions, 'isJson' | 'hasJsonErrors'> {
  if (isJson !== undefined) return { isJson, hasJsonErrors: isJson };
  const isTerminal = io.stdout.isTTY === true;
  return { isJson: !isTerminal, hasJsonErrors: !isTerminal && io.stderr.isTTY !== true };
}

function givenOptions(command: Command): Record<string, unknown> {
  const above = command.parent ? givenOptions(command.parent) : {};
  const globals = command.options.filter(({ helpGroupHeading }) => helpGroupHeading === GLOBAL_OPTIONS_TITLE);
  const names = new Set(globals.map((option) => option.attributeName()));
  // A command's own option can have the name of a global one, such as `--output` of an export.
  const own = Object.entries(command.opts()).filter(
    ([name]) => names.has(name) && command.getOptionValueSource(name) === 'cli',
  );
  return { ...above, ...Object.fromEntries(own) };
}

function parseTimeout(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= TIMEOUT_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError(`Use whole seconds from 1 to ${TIMEOUT_SECONDS_MAX}.`);
}

function parseProfile(text: string): string {
  if (PROFILE_NAME.test(text)) return text;
  throw new InvalidArgumentError('Use letters, digits, hyphens, dots and underscores.');
}

function parseAddress(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new InvalidArgumentError('Use a URL that begins with http:// or https://.');
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
