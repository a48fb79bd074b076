import type { OwnArgument, OwnFlag } from './own-flag.ts';

/**
 * What the CLI has to know of an operation to offer it as a command. The catalogue in `generated/commands.ts` is a list of these, made
 * from the registry: the registry itself brings zod, which would triple the time that `postrider --help` takes.
 */
export interface CommandDescription {
  /** The operation's id, for example `emails.send`. */
  readonly id: string;
  /** The words after `postrider`. */
  readonly command: string;
  readonly summary: string;
  readonly description: string;
  /** False where the command works without a key. */
  readonly needsKey: boolean;
  /** The scope a key needs, or null where any key will do. */
  readonly scope: string | null;
  readonly examples: readonly string[];
  readonly inputs: readonly InputDescription[];
  /** What the file of the command adds. */
  readonly flags?: readonly OwnFlag[];
  readonly args?: readonly OwnArgument[];
  /** A second name, or the name of a group that does this by itself. */
  readonly shortcut?: string;
}

/** An operation of the API and the command that calls it; null where there is none. */
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
  /** Its name at that place. */
  readonly key: string;
  readonly required: boolean;
  readonly positional: boolean;
  /** One long flag, or two that mean the same; empty where positional. */
  readonly flags: readonly string[];
  /** What stands in for the value in help, for example `address`. */
  readonly valueName: string;
  readonly description: string;
  readonly value: ValueDescription;
  /** Help behind all else. */
  readonly moreHelp?: string;
  /** Whether the text may stand in a file or come on stdin. */
  readonly isContent?: boolean;
  /** Values to offer to whoever types, where others can be given too. */
  readonly suggestions?: readonly string[];
}

/** How the text of a flag becomes the value that the API takes. */
export type ValueDescription =
  | { readonly kind: 'text' }
  | { readonly kind: 'number'; readonly whole: boolean; readonly min: number | null; readonly max: number | null }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** Given once for each item. */
  | { readonly kind: 'list'; readonly choices: readonly string[] | null }
  /** Given once for each entry, name and value parted by `separator`. */
  | { readonly kind: 'map'; readonly separator: '=' | ':' }
  /** A list of objects from a file that the text names, or from stdin. */
  | { readonly kind: 'file' }
  /** Whatever has more structure than a flag can show: given as JSON. */
  | { readonly kind: 'json' };
