import type { Argument, Command, Option } from 'commander';
import type { CommandDescription } from '../../command-description.ts';
import { EXIT_CODE_MEANINGS, EXIT_CODES, type ExitCode, type ExitCodeName } from '../../exit-codes.ts';
import type { Output } from '../../output/output.ts';
import { renderTable } from '../../output/table.ts';
import { knownValues, plainText } from '../input-option.ts';
import { readGlobals, readTree } from './command-tree.ts';

/** Prints what there is to call. */
export function runCatalogue(program: Command, commands: readonly CommandDescription[], output: Output): ExitCode {
  const sorted = commands.toSorted((a, b) => (a.command < b.command ? -1 : 1));
  if (!output.isJson) {
    const columns = [
      { title: 'command', cells: sorted.map(({ command }) => command) },
      { title: 'does', cells: sorted.map(({ summary }) => summary), dropOrder: 1 },
    ];
    output.writeText(renderTable(columns, output.width, output.paint));
    return EXIT_CODES.done;
  }
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
    })), // The keys of a constant are its names.
  });
  return EXIT_CODES.done;
}

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
