import type { OperationId } from '@postrider/sdk';
import type { ApiConnection } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import type { InputDescription } from './command-description.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Invocation, OwnValues } from './invocation.ts';
import type { Output } from './output/output.ts';
import type { View } from './output/view.ts';
import type { ArgumentTaker, FlagTaker, Gives, OwnArgument, OwnFlag, ValuesOfInput } from './own-flag.ts';

/** What help says of a command that is no operation. */
export interface AboutCommand {
  readonly summary: string;
  readonly description: string;
  /** Whether it cannot do without a key. */
  readonly needsKey: boolean;
  /** That of an operation where the command takes what the operation takes. */
  readonly scope: string | null | { readonly of: OperationId };
  readonly examples: readonly string[];
  readonly inputs?: readonly (OwnInput | InputsOfOperation)[];
}

/** An argument that the CLI describes like those of operations. */
export type OwnInput = Omit<InputDescription, 'suggestions'> & { readonly suggestions?: ValuesOfInput };

/** Arguments as an operation has them, which the generator looks up: these only, or all but these. */
export interface InputsOfOperation {
  readonly of: OperationId;
  readonly only?: readonly string[];
  readonly without?: readonly string[];
}

/**
 * All that a command has of its own. The parser and help know it from the generated catalogue, so the file of a command is read when the
 * command runs and not before.
 */
export interface CommandDefinition {
  /** That of the operation; of a command that is none, its words. */
  readonly id: string;
  readonly about?: AboutCommand;
  /** A second name, or the name of a group that does this by itself. */
  readonly shortcut?: string;
  /** Flags beside those of the operation, by the names they are read by. */
  readonly flags?: Readonly<Record<string, OwnFlag & { readonly choicesOf?: ValuesOfInput }>>;
  /** Positional arguments beside those of the operation, in their order. */
  readonly args?: Readonly<Record<string, Omit<OwnArgument, 'name'>>>;
  /** Help in the place of the contract's, by argument. */
  readonly help?: Readonly<Record<string, string>>;
  /** Help behind the contract's, by argument. */
  readonly moreHelp?: Readonly<Record<string, string>>;
  /** Shows the answer of its operation to people, in the place of the view that the answer's record has. */
  readonly view?: View;
  /** Carries it out on the server it was connected to; without it the operation is called and its answer shown. */
  run?(invocation: Invocation, connection: ApiConnection, output: Output, io: CliIo): Promise<ExitCode>;
  /** In the place of `run`: finds out by itself which server to call, if any. */
  runAlone?(invocation: Invocation, output: Output, io: CliIo): Promise<ExitCode>;
}

type Takers<Taker> = Readonly<Record<string, Taker>>;
type Own<Flags, Arguments> = { readonly [Name in keyof Flags]: GivenBy<Flags[Name]> | undefined } & {
  readonly [Name in keyof Arguments]: GivenBy<Arguments[Name]>;
};
type GivenBy<Taker> = Taker extends Gives<infer Value> ? Value : never;

interface TypedDefinition<Flags, Arguments, Given extends OwnValues = Own<Flags, Arguments>>
  extends Omit<CommandDefinition, 'id' | 'flags' | 'args' | 'run' | 'runAlone'> {
  readonly flags?: Flags;
  readonly args?: Arguments;
  run?(invocation: Invocation<Given>, connection: ApiConnection, output: Output, io: CliIo): Promise<ExitCode>;
  runAlone?(invocation: Invocation<Given>, output: Output, io: CliIo): Promise<ExitCode>;
}

type Identity =
  | { readonly id: OperationId; readonly about?: never }
  | { readonly id: string; readonly about: AboutCommand };

/** The one file of a command says by this what the command has of its own. */
export function defineCommand<
  const Flags extends Takers<FlagTaker<unknown>> = Record<never, never>,
  const Arguments extends Takers<ArgumentTaker<unknown>> = Record<never, never>,
>(definition: TypedDefinition<Flags, Arguments> & Identity): CommandDefinition {
  return definition;
}
