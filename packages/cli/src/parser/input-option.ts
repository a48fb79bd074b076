import { Argument, InvalidArgumentError, Option } from 'commander';
import type { InputDescription, ValueDescription } from '../command-description.ts';
import { nearestWord } from './nearest-word.ts';
import { parseTime } from './time-form.ts';

/** The flag for one argument of an operation. The parser checks only the form of the value; the server validates the rest. */
export function toOption(input: InputDescription): Option {
  const value = input.value.kind === 'boolean' ? '' : ` <${input.valueName}>`;
  const option = new KnownOption(`${input.flags.join(', ')}${value}`, describeInput(input), knownOf(input));
  return input.value.kind === 'boolean' ? option : option.argParser(parserOf(input.value));
}

/** A flag with known values for completion. Its help and its parser define them on their own. */
class KnownOption extends Option {
  readonly known: readonly string[] | null;

  constructor(flags: string, description: string, known: readonly string[] | null) {
    super(flags, description);
    this.known = known;
  }
}

class KnownArgument extends Argument {
  readonly known: readonly string[] | null;

  constructor(name: string, description: string, known: readonly string[] | null) {
    super(name, description);
    this.known = known;
  }
}

/** The known values; null if any value is possible. */
export function knownValues(parameter: Option | Argument): readonly string[] | null {
  const isOurs = parameter instanceof KnownOption || parameter instanceof KnownArgument;
  return (isOurs ? parameter.known : parameter.argChoices) ?? null;
}

/** `--no-…` for a boolean, so that false can be set and not only omitted. */
export function toNegatedOption(input: InputDescription): Option {
  const name = input.flags.at(-1) ?? `--${input.name}`;
  return new Option(name.replace('--', '--no-'), `Turns off ${name}.`);
}

/** The positional argument of an operation's argument, such as the id in `emails get <id>`. */
export function toArgument(input: InputDescription): Argument {
  const name = synopsisOf(input);
  return new KnownArgument(name, plainText(input.description), knownOf(input)).argParser(
    (text: string, previous: unknown) => parserOf(input.value)(text, previous),
  );
}

/** The positional argument in the usage line. A list accepts any number of values. */
export function synopsisOf({ valueName, required, value }: InputDescription): string {
  const name = value.kind === 'list' ? `${valueName}...` : valueName;
  return required ? `<${name}>` : `[${name}]`;
}

/** Contract texts are Markdown; in a terminal, backticks are noise. */
export function plainText(markdown: string): string {
  return markdown.replaceAll('`', '');
}

function describeInput(input: InputDescription): string {
  const choices = choicesOf(input.value);
  const parts = [
    input.required ? '(required)' : '',
    plainText(input.description),
    input.value.kind === 'list' || input.value.kind === 'map' ? 'Repeatable.' : '',
    choices === null || choices.every((choice) => input.description.includes(choice))
      ? ''
      : `One of: ${choices.join(', ')}.`,
    input.isContent === true ? 'Use @file to read a file, - to read stdin, @@ for content that begins with @.' : '',
    input.moreHelp ?? '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function knownOf({ value, suggestions }: InputDescription): readonly string[] | null {
  return choicesOf(value) ?? suggestions ?? null;
}

function choicesOf(value: ValueDescription): readonly string[] | null {
  return value.kind === 'choice' || value.kind === 'list' ? value.choices : null;
}

type Parser = (text: string, previous: unknown) => unknown;

function parserOf(value: Exclude<ValueDescription, { kind: 'boolean' }> | ValueDescription): Parser {
  switch (value.kind) {
    case 'text':
    case 'file':
      return once((text) => text);
    case 'time':
      return once((text) => parseTime(text, value.or));
    case 'choice':
      return once((text) => parseChoice(text, value.choices));
    case 'number':
      return once((text) => parseNumber(text, value));
    case 'json':
      return once(parseJson);
    case 'boolean':
      return once(parseBoolean);
    case 'list':
      return (text, previous) => [...(Array.isArray(previous) ? previous : []), ...parseItems(text, value.choices)];
    case 'map':
      return (text, previous) => addEntry(text, value.separator, previous);
  }
}

/** Without this, the last of two values would win silently. */
function once(parse: (text: string) => unknown): Parser {
  return (text, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError('Pass it only once.');
    return parse(text);
  };
}

/** Choices can also be separated by commas, because they contain none. */
function parseItems(text: string, choices: readonly string[] | null): readonly string[] {
  return choices === null ? [text] : text.split(',').map((item) => parseChoice(item, choices));
}

function parseChoice(text: string, choices: readonly string[]): string {
  if (choices.includes(text)) return text;
  const near = nearestWord(text, choices);
  const question = near === null ? '' : `Did you mean ${near}? `;
  throw new InvalidArgumentError(`${question}Use one of: ${choices.join(', ')}.`);
}

function parseNumber(text: string, { whole, min, max }: Extract<ValueDescription, { kind: 'number' }>): number {
  const isNumber = whole ? /^-?\d{1,15}$/.test(text) : /^-?\d{1,15}(\.\d+)?$/.test(text);
  const number = Number(text);
  if (isNumber && (min === null || number >= min) && (max === null || number <= max)) return number;
  const kind = whole ? 'a whole number' : 'a number';
  throw new InvalidArgumentError(`Use ${kind}${rangeText(min, max)}.`);
}

function rangeText(min: number | null, max: number | null): string {
  if (min !== null && max !== null) return ` from ${min} to ${max}`;
  if (min !== null) return ` of at least ${min}`;
  return max === null ? '' : ` of at most ${max}`;
}

function parseBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('Use true or false.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Pass JSON in shell quotes.');
  }
}

function addEntry(text: string, separator: '=' | ':', previous: unknown): Record<string, string> {
  const at = text.indexOf(separator);
  if (at < 1) {
    throw new InvalidArgumentError(separator === ':' ? 'Use the form "Name: value".' : 'Use the form name=value.');
  }
  const entries = new Map(Object.entries(previous ?? {}) as [string, string][]); // Only this function creates them.
  const name = separator === ':' ? text.slice(0, at).trim() : text.slice(0, at);
  const value = separator === ':' ? text.slice(at + 1).trim() : text.slice(at + 1);
  if (entries.has(name)) throw new InvalidArgumentError(`Pass the name ${name} only once.`);
  return Object.fromEntries(entries.set(name, value));
}
