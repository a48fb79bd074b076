import type { CommandDescription } from './command-description.ts';
import type { GlobalOptions } from './global-options.ts';

/** What was given of the flags and arguments that only the CLI has. */
export type OwnValues = Readonly<Record<string, unknown>>;

/** A parsed command line. */
export interface Invocation<Own extends OwnValues = OwnValues> {
  readonly command: CommandDescription;
  /** By the arguments' names in the registry; only what was given. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What the command has of its own, by the names in its file. */
  readonly own: Own;
  readonly options: GlobalOptions;
}
