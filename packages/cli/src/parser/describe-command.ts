import type { Command } from 'commander';
import type { CommandDescription, InputDescription } from '../command-description.ts';
import { usageFailure } from '../failure.ts';
import type { OwnValues } from '../invocation.ts';
import { plainText, synopsisOf, toArgument, toNegatedOption, toOption } from './input-option.ts';
import { toOwnArgument, toOwnOption } from './own-option.ts';

/** Adds flags, positional arguments and help texts to a command, from its description. */
export function describeCommand(command: Command, description: CommandDescription): Command {
  command.summary(description.summary).description(describe(description));
  const flags = description.inputs.filter(({ positional }) => !positional);
  const required = flags.filter((input) => input.required);
  for (const input of description.inputs.filter(({ positional }) => positional)) command.addArgument(toArgument(input));
  for (const input of [...required, ...flags.filter((input) => !input.required)]) {
    command.addOption(toOption(input));
    if (input.value.kind === 'boolean') command.addOption(toNegatedOption(input));
  }
  addOwn(command, description);
  const positional = positionalOf(description);
  command.usage([...positional, ...required.map(synopsis), '[options]'].join(' '));
  return command.addHelpText('after', () => examplesText(description));
}

/** Adds only what a list of commands shows. */
export function outlineCommand(command: Command, { summary, inputs, args = [] }: CommandDescription): Command {
  for (const input of inputs.filter(({ positional }) => positional)) command.addArgument(toArgument(input));
  for (const argument of args) command.addArgument(toOwnArgument(argument));
  return command.summary(summary);
}

/** The values of flags and arguments that only the CLI has, by their names in the command's file. */
export function readOwnValues(command: Command, { inputs, args = [] }: CommandDescription): OwnValues {
  const first = inputs.filter(({ positional }) => positional).length;
  const positional = args.map(({ name }, index) => [name, command.processedArgs[first + index]] as const);
  return { ...command.opts(), ...Object.fromEntries(positional) };
}

function addOwn(command: Command, { flags = [], args = [] }: CommandDescription): void {
  for (const argument of args) command.addArgument(toOwnArgument(argument));
  for (const flag of flags) command.addOption(toOwnOption(flag));
}

function positionalOf({ inputs, args = [] }: CommandDescription): readonly string[] {
  return [...inputs.filter((input) => input.positional).map(synopsisOf), ...args.map(({ name }) => `<${name}>`)];
}

/** The values of a command's inputs, by their names in the registry. One error names everything that is missing. */
export function readValues(command: Command, description: CommandDescription): Readonly<Record<string, unknown>> {
  const positional = description.inputs.filter((input) => input.positional);
  const values = description.inputs.map((input) => {
    const value = input.positional
      ? command.processedArgs[positional.indexOf(input)]
      : command.getOptionValue(attributeOf(input));
    return [input.name, value] as const;
  });
  const missing = description.inputs.filter((input, index) => input.required && values[index]?.[1] === undefined);
  if (missing.length > 0) throw missingFailure(description, missing);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function describe({ description, scope }: CommandDescription): string {
  return plainText(scope === null ? description : `${description} Requires a key with the scope ${scope}.`);
}

function synopsis(input: InputDescription): string {
  return `${input.flags[0]} <${input.valueName}>`;
}

function examplesText({ examples }: CommandDescription): string {
  return examples.length === 0 ? '' : `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

function attributeOf(input: InputDescription): string {
  return toOption(input).attributeName();
}

function missingFailure(description: CommandDescription, missing: readonly InputDescription[]): Error {
  const names = missing.map((input) => (input.positional ? `<${input.valueName}>` : synopsis(input)));
  const example = description.examples[0];
  const fix = example === undefined ? `See postrider ${description.command} --help.` : `For example: ${example}`;
  return usageFailure(`missing ${names.join(', ')}`, fix);
}
