import type { CommandDefinition, CommandDescription, InputDescription, ValueDescription } from '@postrider/cli';
import { GLOBAL_FLAG_NAMES } from '@postrider/cli';
import { type Argument, argumentsOf, type JsonSchema, type Operation } from '@postrider/core';
import { withDefinition } from './cli-definitions.ts';
import { inputText, withFlags } from './cli-input-texts.ts';

/**
 * The CLI's commands, from every operation with a CLI exposure. They are generated as data, because loading the registry at each start
 * would take longer than everything else before the first request.
 */
export function describeCommands(
  operations: readonly Operation[],
  definitions: readonly CommandDefinition[] = [],
): readonly CommandDescription[] {
  const commands = operations.flatMap((operation) => {
    if (operation.cli === null) return [];
    const inputs = describeInputs(operation, operation.cli.positional ?? []);
    return [
      {
        id: operation.id,
        command: operation.cli.command,
        summary: operation.summary,
        description: operation.cli.description ?? withFlags(operation.description, inputs),
        needsKey: operation.access.kind !== 'public',
        scope: operation.access.kind === 'key' ? operation.access.scope : null,
        examples: operation.cli.examples ?? [],
        inputs: inputs.map((input) => ({
          ...input,
          description: withFlags(input.description, inputs),
        })),
      },
    ];
  });
  return commands.map((command) => {
    const definition = definitions.find(({ id }) => id === command.id);
    return definition === undefined ? command : withDefinition(command, definition, commands);
  });
}

/** Placeholders for values in help, where the type of the value alone says too little. */
const VALUE_NAMES: Readonly<Record<string, string>> = {
  from: 'address',
  to: 'address',
  cc: 'address',
  bcc: 'address',
  reply_to: 'address',
  email: 'address',
  emails: 'address',
  html: 'content',
  text: 'content',
  tags: 'tag',
  id: 'id',
  cursor: 'cursor',
  agent_name: 'name',
  idempotency_key: 'key',
  url: 'url',
  wait: 'seconds',
  domain: 'domain',
  target: 'domain-or-address',
};

/** Placeholders of single operations, for example `domain` where the field is called `name`. */
const OWN_VALUE_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'domains.create': { name: 'domain' },
  'approvals.decide-many': { ids: 'id' },
};

function describeInputs(operation: Operation, positional: readonly string[]): readonly InputDescription[] {
  const list = argumentsOf(operation).filter((argument) => !isChannelOfSend(operation, argument));
  const names = list.map(({ name }) => name);
  const unknown = positional.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`${operation.id}: no argument is named ${unknown.join(', ')}`);
  const inputs = list.map((argument) => describeInput(operation, argument, positional, names));
  checkFlags(operation, inputs);
  // Positional arguments in the order of the exposure.
  return inputs.toSorted((a, b) => positionOf(a, positional) - positionOf(b, positional));
}

/** The CLI always sends the channel of the SDK. A filter with that name remains available. */
function isChannelOfSend(operation: Operation, { place, name }: Argument): boolean {
  return operation.effect === 'send' && place === 'body' && name === 'channel';
}

/** Fields whose value can be read from a file or stdin. */
const CONTENTS: readonly string[] = ['html', 'text', 'raw', 'body'];

/** Lists of whole requests are read from files. */
const FILE: ValueDescription = { kind: 'file' };
const FILE_FORMS = ' A file, or - for stdin: a JSON array, or one JSON object a line.';

function describeInput(
  { id, itemwise }: Operation,
  argument: Argument,
  positional: readonly string[],
  names: readonly string[],
): InputDescription {
  const { name, place, key, required, schema } = argument;
  const value = name === itemwise?.field ? FILE : (timeOf(argument) ?? describeValue(name, schema));
  const isPositional = positional.includes(name);
  return {
    name,
    place,
    key,
    // What is false is left out: in hundreds of inputs, it would be the largest part of the bundle that says nothing.
    ...(required ? { required } : {}),
    ...(isPositional ? { positional: true } : {}),
    flags: isPositional ? [] : flagsOf(name, value, names),
    valueName:
      value.kind === 'file'
        ? 'file'
        : (OWN_VALUE_NAMES[id]?.[name] ??
          nameOfTime(value) ??
          VALUE_NAMES[name] ??
          valueNameOf(value, name, isPositional)),
    description: `${inputText(id, argument)}${value.kind === 'file' ? FILE_FORMS : ''}`,
    value,
    ...(CONTENTS.includes(name) && value.kind === 'text' ? { isContent: true } : {}),
  };
}

/** Times by name: in JSON Schema they are strings. `from` and `to` of a filter are times; those of a send are addresses. */
function timeOf({ name, place }: Argument): ValueDescription | null {
  if (['since', 'until'].includes(name) || (place === 'query' && ['from', 'to'].includes(name)))
    return { kind: 'time', or: 'date' };
  if (name === 'scheduled_at') return { kind: 'time', or: 'duration' };
  return name === 'expiresAt' ? { kind: 'time', or: null } : null;
}

function nameOfTime({ kind }: ValueDescription): string | null {
  return kind === 'time' ? 'time' : null;
}

/**
 * Repeated flags are singular: `--tag a --tag b`. The API's plural name works too. camelCase and snake_case become words separated by
 * hyphens.
 */
function flagsOf(name: string, { kind }: ValueDescription, names: readonly string[]): readonly string[] {
  const own = `--${toWords(name)}`;
  const singular = name.replace(/s$/, '');
  const isRepeatable = kind === 'list' || kind === 'map';
  if (!isRepeatable || singular === name || names.includes(singular)) return [own];
  return [`--${toWords(singular)}`, own];
}

function toWords(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function describeValue(name: string, given: JsonSchema): ValueDescription {
  const schema = withoutNull(given);
  const branches = alternativesOf(schema);
  const list = branches.find(({ type }) => type === 'array') ?? {};
  if (list['type'] === 'array') return describeList(asSchema(list['items']));
  if (branches.length > 1) return { kind: 'json' };
  if (isStringList(schema['enum'])) return { kind: 'choice', choices: schema['enum'] };
  switch (schema['type']) {
    case 'string':
      return { kind: 'text' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'integer':
    case 'number':
      return {
        kind: 'number',
        whole: schema['type'] === 'integer',
        min: bound(schema, 'minimum'),
        max: bound(schema, 'maximum'),
      };
    case 'object':
      // Header lines have the format of a message; every other map uses `name=value`.
      return isStringMap(schema) ? { kind: 'map', separator: name === 'headers' ? ':' : '=' } : { kind: 'json' };
    default:
      return { kind: 'json' };
  }
}

function describeList(item: JsonSchema): ValueDescription {
  if (isStringList(item['enum'])) return { kind: 'list', choices: item['enum'] };
  return item['type'] === 'string' ? { kind: 'list', choices: null } : { kind: 'json' };
}

/** Omitting the flag already means null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const branches = alternativesOf(schema).filter(({ type }) => type !== 'null');
  return branches.length === 1 ? { ...schema, anyOf: undefined, ...branches[0] } : schema;
}

function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].map(asSchema);
  return Array.isArray(schema['type']) ? schema['type'].map((type) => ({ ...schema, type })) : [schema];
}

function isStringMap(schema: JsonSchema): boolean {
  return schema['properties'] === undefined && asSchema(schema['additionalProperties'])['type'] === 'string';
}

function bound(schema: JsonSchema, name: 'minimum' | 'maximum'): number | null {
  const value = schema[name];
  // Zod gives every integer the safe-integer bounds; they are not limits of the API.
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;
}

/** The name of a flag says its purpose, so its value is named by type; a positional argument has only this name. */
function valueNameOf(value: ValueDescription, name: string, isPositional: boolean): string {
  switch (value.kind) {
    case 'map':
      return value.separator === ':' ? 'name: value' : 'name=value';
    case 'number':
      return 'number';
    case 'choice':
      return 'choice';
    case 'json':
      return 'json';
    default:
      return isPositional ? toWords(name) : 'text';
  }
}

function positionOf({ name, positional }: InputDescription, order: readonly string[]): number {
  return positional ? order.indexOf(name) : order.length;
}

/** Fails if one flag would have two meanings, so that no user finds it first. */
function checkFlags(operation: Operation, inputs: readonly InputDescription[]): void {
  const flags = [...GLOBAL_FLAG_NAMES.map((name) => `--${name}`), ...inputs.flatMap((input) => input.flags)];
  const twice = flags.filter((flag, index) => flags.indexOf(flag) !== index);
  if (twice.length > 0) throw new Error(`${operation.id}: ${twice.join(', ')} would have two meanings`);
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function asSchema(value: unknown): JsonSchema {
  // The parts of a JSON Schema are schemas; `true` and absence count as the empty one.
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}
