import type { Argument, Option } from 'commander';
import { ALL_COMMANDS } from '../all-commands.ts';
import { defineCommand } from '../define-command.ts';
import { EXIT_CODE_MEANINGS, EXIT_CODES, type ExitCodeName } from '../exit-codes.ts';
import { renderTable } from '../output/table.ts';
import { readGlobals, readTree } from '../parser/command-tree.ts';
import { knownValues, plainText } from '../parser/input-option.ts';
import { buildProgram } from '../parser/program.ts';

/** Lists the commands for programs. */
export const definition = defineCommand({
  id: 'commands',
  about: {
    summary: 'List every command',
    description:
      'Lists every command with its summary. With `--json`: `{commands: [{command, summary, description, scope, needsKey, arguments, options, examples}], globalOptions, exitCodes}`, so that a program knows what it can call. The command makes no request.',
    needsKey: false,
    scope: null,
    examples: ['postrider commands', "postrider commands --json | jq -r '.commands[].command'"],
  },
  async runAlone(_invocation, output, io) {
    const sorted = ALL_COMMANDS.toSorted((a, b) => (a.command < b.command ? -1 : 1));
    if (!output.isJson) {
      const columns = [
        { title: 'command', cells: sorted.map(({ command }) => command) },
        { title: 'summary', cells: sorted.map(({ summary }) => summary), dropOrder: 1 },
      ];
      output.writeText(renderTable(columns, output.width, output.paint));
      return EXIT_CODES.done;
    }
    const program = buildProgram(ALL_COMMANDS, io, async () => {});
    const nodes = new Map(readTree(program).map((node) => [node.words, node]));
    output.writeJson({
      commands: sorted.map(({ command, summary, description, scope, needsKey, examples }) => {
        const node = nodes.get(command);
        return {
          ...{ command, summary, description: plainText(description), scope, needsKey },
          arguments: (node?.command.registeredArguments ?? []).map(describeArgument),
          options: (node?.options ?? []).map(describeOption),
          examples,
        };
      }),
      globalOptions: readGlobals(program).map(describeOption),
      exitCodes: (Object.keys(EXIT_CODES) as ExitCodeName[]).map((name) => ({
        ...{ code: EXIT_CODES[name], name, meaning: EXIT_CODE_MEANINGS[name] },
      })), // Object.keys widens the keys to string.
    });
    return EXIT_CODES.done;
  },
});

function describeArgument(argument: Argument) {
  const { required, variadic, description } = argument;
  return { name: argument.name(), required, repeatable: variadic, description };
}

function describeOption(option: Option) {
  const { flags, long, short, description, required, optional, variadic } = option;
  const value = required ? 'required' : optional ? 'optional' : 'none';
  return {
    flags,
    long: long ?? null,
    short: short ?? null,
    value,
    repeatable: variadic,
    choices: knownValues(option),
    description,
  };
}
