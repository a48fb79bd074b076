/** The value of a flag or an argument as data: it is part of the generated catalog, from which the parser is built. */
export type OwnValue =
  /** Present or not. */
  | { readonly kind: 'switch' }
  | { readonly kind: 'text' }
  /** Repeatable; each occurrence adds a value. */
  | { readonly kind: 'texts' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly fix: string }
  /** Text that matches a pattern, after a change to upper or lower case. */
  | { readonly kind: 'form'; readonly pattern: string; readonly letters: Letters; readonly fix: string }
  /** An HTTP URL; the scheme is optional. */
  | { readonly kind: 'url' };

type Letters = 'as given' | 'upper' | 'lower';

/** A flag that only the CLI has. */
export interface OwnFlag {
  /** As help shows it, for example `-o, --output <file>`. */
  readonly flags: string;
  readonly description: string;
  readonly value: OwnValue;
  /** The input of the operation that it excludes. */
  readonly conflicts?: string;
  /** The switch that it turns on. */
  readonly implies?: string;
  readonly default?: string;
}

/** A required positional argument that only the CLI has. */
export interface OwnArgument {
  readonly name: string;
  readonly description: string;
  readonly value: OwnValue;
}

/** The values of an input of an operation, which the generator looks up. */
export interface ValuesOfInput {
  readonly of: string;
  readonly input: string;
}

/** The type of the value that a flag or an argument passes to its command. */
export interface WithValue<Value> {
  readonly valueType?: Value;
}

export type FlagDefinition<Value> = OwnFlag & WithValue<Value> & { readonly choicesOf?: ValuesOfInput };
export type ArgumentDefinition<Value> = Omit<OwnArgument, 'name'> & WithValue<Value>;

type Rest = Pick<OwnFlag, 'conflicts' | 'implies' | 'default'>;

export function switchFlag(flags: string, description: string): FlagDefinition<true> {
  return { flags, description, value: { kind: 'switch' } };
}

export function textFlag(flags: string, description: string, rest: Rest = {}): FlagDefinition<string> {
  return { flags, description, value: { kind: 'text' }, ...rest };
}

export function textsFlag(flags: string, description: string): FlagDefinition<readonly string[]> {
  return { flags, description, value: { kind: 'texts' } };
}

/** `<name...>` accepts several values. */
export function choicesFlag(
  flags: string,
  description: string,
  choices: readonly string[],
): FlagDefinition<readonly string[]> {
  return { flags, description, value: { kind: 'choice', choices } };
}

/** One of the values that the contract lists for an input. */
export function contractChoiceFlag(
  flags: string,
  description: string,
  choicesOf: ValuesOfInput,
): FlagDefinition<string> {
  return { flags, description, value: { kind: 'choice', choices: [] }, choicesOf };
}

export function numberFlag(
  flags: string,
  description: string,
  range: { readonly min: number; readonly max: number; readonly noun?: string },
  rest: Rest = {},
): FlagDefinition<number> {
  const { min, max, noun = 'a whole number' } = range;
  return {
    flags,
    description,
    value: { kind: 'number', min, max, fix: `Use ${noun} from ${min} to ${max}.` },
    ...rest,
  };
}

export function urlFlag(flags: string, description: string): FlagDefinition<string> {
  return { flags, description, value: { kind: 'url' } };
}

/** The text must match `pattern`, after its letters are changed to upper or lower case. */
export function formFlag(flags: string, description: string, form: Form): FlagDefinition<string> {
  return { flags, description, value: toForm(form) };
}

export function formArgument(description: string, form: Form): ArgumentDefinition<string> {
  return { description, value: toForm(form) };
}

/** One of a few words, which help and completion show. */
export function wordArgument<Word extends string>(
  words: readonly Word[],
  letters: Letters = 'as given',
): ArgumentDefinition<Word> {
  const pattern = new RegExp(`^(?:${words.join('|')})$`);
  const description = `One of: ${words.join(', ')}.`;
  return { description, value: toForm({ pattern, letters, fix: `Use one of: ${words.join(', ')}.` }) };
}

interface Form {
  readonly pattern: RegExp;
  readonly letters?: Letters;
  readonly fix: string;
}

function toForm({ pattern, letters = 'as given', fix }: Form): OwnValue {
  return { kind: 'form', pattern: pattern.source, letters, fix };
}
