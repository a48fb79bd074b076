import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandDescription } from '../../command-description.ts';

const INPUTLESS = { needsKey: false, scope: null, inputs: [] } as const;

/** Calls the API by method and path: what no command does yet can be done by it. */
export const API: CommandDescription = {
  ...INPUTLESS,
  id: 'api',
  command: 'api',
  summary: 'Call the API by method and path',
  description:
    'Makes one request with the key and prints the answer, JSON as it came. The path begins with `/` and may carry a query. A refusal is reported as by every other command, with the same exit codes. Without `--data` there is no body; a POST is repeated after a lost connection only where it has an idempotency key.',
  examples: [
    'postrider api GET /account',
    "postrider api GET '/emails?limit=2&tag=order'",
    `postrider api POST /suppressions --data '{"email":"ada@example.com"}'`,
    'postrider api POST /emails --data @message.json --idempotency-key order-1042',
  ],
};

/** What there is to call, for programs. */
export const CATALOGUE: CommandDescription = {
  ...INPUTLESS,
  id: 'commands',
  command: 'commands',
  summary: 'List every command',
  description:
    'Lists every command with what it does. With `--json`: `{commands: [{command, summary, description, scope, needsKey, arguments, options, examples}], globalOptions, exitCodes}`, from which a program can tell what it may call. Nothing is asked of a server.',
  examples: ['postrider commands', "postrider commands --json | jq -r '.commands[].command'"],
};

export const COMPLETION: CommandDescription = {
  ...INPUTLESS,
  id: 'completion',
  command: 'completion',
  summary: 'Print a completion script for a shell',
  description:
    'Prints a script that completes commands and flags in bash, zsh, fish or PowerShell. It has the commands of this version: make it anew after an update.',
  examples: [
    'source <(postrider completion bash)        # in ~/.bashrc',
    'source <(postrider completion zsh)         # in ~/.zshrc, after compinit',
    'postrider completion fish > ~/.config/fish/completions/postrider.fish',
    'postrider completion powershell | Out-String | Invoke-Expression    # in $PROFILE',
  ],
};

/** Commands about the program itself, and the one that reaches whatever has no command. */
export const PROGRAM_COMMANDS: readonly CommandDescription[] = [API, CATALOGUE, COMPLETION];

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** Gives them their own arguments. */
export function describeProgramCommand(command: Command, id: string): Command {
  if (id === API.id) return describeApi(command);
  return id === COMPLETION.id
    ? command.argument('<shell>', `One of: ${SHELLS.join(', ')}.`, parseShell).usage('<shell> [options]')
    : command;
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

function describeApi(command: Command): Command {
  return command
    .usage('<method> <path> [options]')
    .argument('<method>', `One of: ${METHODS.join(', ')}.`, parseMethod)
    .argument('<path>', 'From the server’s address on, such as /account.', parsePath)
    .addOption(new Option('-d, --data <json>', 'The body as JSON; @file reads a file, - reads stdin.'))
    .addOption(
      new Option('-H, --header <header>', 'A further request header, as "Name: value"; repeatable.').argParser(
        (text: string, previous: unknown) => [...(Array.isArray(previous) ? previous : []), text],
      ),
    )
    .addOption(new Option('--idempotency-key <key>', 'Makes a repeated call safe where the operation takes one.'))
    .addOption(new Option('-i, --include', 'Print status and headers before the answer, on stderr.'));
}

function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method)) return method;
  throw new InvalidArgumentError(`Give one of: ${METHODS.join(', ')}.`);
}

function parsePath(text: string): string {
  // Two slashes would name another host.
  if (/^\/(?!\/)/.test(text)) return text;
  throw new InvalidArgumentError('Give a path that begins with one /, such as /account.');
}

function parseShell(text: string): Shell {
  const shell = SHELLS.find((name) => name === text);
  if (shell !== undefined) return shell;
  throw new InvalidArgumentError(`Give one of: ${SHELLS.join(', ')}.`);
}
