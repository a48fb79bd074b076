import type { OwnArgument, OwnFlag } from './own-flag.ts';

/**
 * What the CLI needs to know about an operation to offer it as a command. `generated/commands.ts` lists these, generated from the registry:
 * the registry itself loads zod, which would triple the time of `postrider --help`.
 */
export interface CommandDescription {
  /** The operation's id, for example `emails.send`. */
  readonly id: string;
  /** The words after `postrider`. */
  readonly command: string;
  readonly summary: string;
  readonly description: string;
  /** False if the command works without a key. */
  readonly needsKey: boolean;
  /** The scope that a key needs, or null if any key works. */
  readonly scope: string | null;
  readonly examples: readonly string[];
  readonly inputs: readonly InputDescription[];
  /** Flags that the file of the command adds. */
  readonly flags?: readonly OwnFlag[];
  readonly args?: readonly OwnArgument[];
  /** A second name, or the name of a group that runs this command when it has no subcommand. */
  readonly shortcut?: string;
}

/** An operation of the API and the command that calls it, or null. */
export interface OperationCommand {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly command: string | null;
}

/** One argument of the operation, as a flag or a positional argument. */
export interface InputDescription {
  /** Its name in the registry, in snake_case. */
  readonly name: string;
  readonly place: 'params' | 'query' | 'headers' | 'body';
  /** Its name in that place. */
  readonly key: string;
  readonly required?: boolean;
  readonly positional?: boolean;
  /** One long flag, or two with the same meaning; empty if positional. */
  readonly flags: readonly string[];
  /** The placeholder for the value in help, for example `address`. */
  readonly valueName: string;
  readonly description: string;
  readonly value: ValueDescription;
  /** Appended to the help text. */
  readonly moreHelp?: string;
  /** Whether the text can be read from a file or stdin. */
  readonly isContent?: boolean;
  /** Values that completion suggests; others are accepted too. */
  readonly suggestions?: readonly string[];
}

/** How the text of a flag becomes the value that the API accepts. */
export type ValueDescription =
  | { readonly kind: 'text' }
  /** RFC 3339 with an offset, or the other form. */
  | { readonly kind: 'time'; readonly or: 'date' | 'duration' | null }
  | { readonly kind: 'number'; readonly whole: boolean; readonly min: number | null; readonly max: number | null }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** Repeated once per item. */
  | { readonly kind: 'list'; readonly choices: readonly string[] | null }
  /** Repeated once per entry, with `separator` between name and value. */
  | { readonly kind: 'map'; readonly separator: '=' | ':' }
  /** A list of objects from the named file or stdin. */
  | { readonly kind: 'file' }
  /** JSON, for values with more structure than a flag can show. */
  | { readonly kind: 'json' };
