import type { CommandDescription } from './command-description.ts';
import type { GlobalOptions } from './global-options.ts';

/** A parsed command line. */
export interface Invocation {
  readonly command: CommandDescription;
  /** By the arguments' names in the registry; only what was given. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The flags that only the CLI has, by attribute name, such as `wait` of a send. */
  readonly ownFlags: Readonly<Record<string, unknown>>;
  /** Positional arguments that only the CLI has, such as the name of a profile. */
  readonly ownArguments: readonly string[];
  readonly options: GlobalOptions;
}
