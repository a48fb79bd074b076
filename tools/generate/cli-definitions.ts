import type { AboutCommand, CommandDefinition, CommandDescription, InputDescription } from '@postrider/cli';

type Commands = readonly CommandDescription[];

/** Commands that are not operations: the definitions in their files, with everything they reuse from operations resolved. */
export function describeOwnCommands(definitions: readonly CommandDefinition[], commands: Commands): Commands {
  return definitions.flatMap((definition) => {
    const { id, about } = definition;
    if (about === undefined) return [];
    const { scope, inputs = [], ...texts } = about;
    const command = {
      ...{ id, command: id, ...texts },
      scope: scope === null || typeof scope === 'string' ? scope : findCommand(scope.of, commands).scope,
      inputs: inputs.flatMap((input) => describeOwnInput(input, commands)),
    };
    return [withDefinition(command, definition, commands)];
  });
}

/** A command with the additions from its file. */
export function withDefinition(
  command: CommandDescription,
  { shortcut, flags = {}, args = {}, help = {}, moreHelp = {} }: CommandDefinition,
  commands: Commands,
): CommandDescription {
  checkNames(command, [...Object.keys(help), ...Object.keys(moreHelp)]);
  const ownFlags = Object.values(flags).map(({ choicesOf, ...flag }) =>
    choicesOf === undefined
      ? flag
      : { ...flag, value: { kind: 'choice' as const, choices: valuesOf(choicesOf, commands) } },
  );
  const ownArguments = Object.entries(args).map(([name, argument]) => ({ name, ...argument }));
  return {
    ...command,
    inputs: command.inputs.map((input) => {
      const more = moreHelp[input.name];
      const described = { ...input, description: help[input.name] ?? input.description };
      return more === undefined ? described : { ...described, moreHelp: more };
    }),
    ...(ownFlags.length === 0 ? {} : { flags: ownFlags }),
    ...(ownArguments.length === 0 ? {} : { args: ownArguments }),
    ...(shortcut === undefined ? {} : { shortcut }),
  };
}

function describeOwnInput(
  input: NonNullable<AboutCommand['inputs']>[number],
  commands: Commands,
): readonly InputDescription[] {
  if (!('of' in input)) {
    const { suggestions, ...described } = input;
    return [suggestions === undefined ? described : { ...described, suggestions: valuesOf(suggestions, commands) }];
  }
  const { of, only, without = [] } = input;
  const command = findCommand(of, commands);
  checkNames(command, only ?? []);
  const names = only ?? command.inputs.map(({ name }) => name);
  return names.flatMap((name) => command.inputs.filter((one) => one.name === name && !without.includes(name)));
}

function valuesOf({ of, input }: { readonly of: string; readonly input: string }, commands: Commands) {
  const value = findCommand(of, commands).inputs.find(({ name }) => name === input)?.value;
  const choices = value?.kind === 'choice' || value?.kind === 'list' ? value.choices : null;
  if (choices === null) throw new Error(`${of}: ${input} has no list of values`);
  return choices;
}

function findCommand(id: string, commands: Commands): CommandDescription {
  const found = commands.find((command) => command.id === id);
  if (found === undefined) throw new Error(`no command calls ${id}`);
  return found;
}

function checkNames({ id, inputs }: CommandDescription, names: readonly string[]): void {
  const unknown = names.filter((name) => !inputs.some((input) => input.name === name));
  if (unknown.length > 0) throw new Error(`${id}: no argument is named ${unknown.join(', ')}`);
}
