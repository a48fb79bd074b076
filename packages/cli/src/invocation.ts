import type { CommandDescription } from './command-description.ts';
import type { GlobalOptions } from './global-options.ts';

/** The values of flags and arguments that only the CLI has. */
export type OwnValues = Readonly<Record<string, unknown>>;

/** A parsed command line. */
export interface Invocation<Own extends OwnValues = OwnValues> {
  readonly command: CommandDescription;
  /** By argument name in the registry; only the arguments that were passed. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The values of the command's own flags and arguments, by their names in its file. */
  readonly own: Own;
  readonly options: GlobalOptions;
}
