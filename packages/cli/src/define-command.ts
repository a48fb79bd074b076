import type { OperationId } from '@postrider/sdk';
import type { ApiConnection } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import type { InputDescription } from './command-description.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Invocation, OwnValues } from './invocation.ts';
import type { Output } from './output/output.ts';
import type { View } from './output/view.ts';
import type { ArgumentDefinition, FlagDefinition, OwnArgument, OwnFlag, ValuesOfInput, WithValue } from './own-flag.ts';

/** What help says about a command that is not an operation. */
export interface AboutCommand {
  readonly summary: string;
  readonly description: string;
  /** Whether it requires a key. */
  readonly needsKey: boolean;
  /** `of`: the scope of that operation. */
  readonly scope: string | null | { readonly of: OperationId };
  readonly examples: readonly string[];
  readonly inputs?: readonly (OwnInput | InputsOfOperation)[];
}

/** An argument that is described like those of operations. */
export type OwnInput = Omit<InputDescription, 'suggestions'> & { readonly suggestions?: ValuesOfInput };

/** Arguments of an operation, which the generator looks up: only these, or all except these. */
export interface InputsOfOperation {
  readonly of: OperationId;
  readonly only?: readonly string[];
  readonly without?: readonly string[];
}

/**
 * Everything specific to a command. The parser and help read it from the generated catalog, so the file of a command is loaded only when it
 * runs.
 */
export interface CommandDefinition {
  /** The id of the operation; without an operation, the words of the command. */
  readonly id: string;
  readonly about?: AboutCommand;
  /** A second name, or the name of a group that runs this command when it has no subcommand. */
  readonly shortcut?: string;
  /** Flags in addition to those of the operation, by the names of their values. */
  readonly flags?: Readonly<Record<string, OwnFlag & { readonly choicesOf?: ValuesOfInput }>>;
  /** Positional arguments in addition to those of the operation, in order. */
  readonly args?: Readonly<Record<string, Omit<OwnArgument, 'name'>>>;
  /** Help texts that replace those of the contract, by argument. */
  readonly help?: Readonly<Record<string, string>>;
  /** Help texts appended to those of the contract, by argument. */
  readonly moreHelp?: Readonly<Record<string, string>>;
  /** Prints the response of its operation as text, in place of the view of the record. */
  readonly view?: View;
  /** Runs the command on the connected server; by default it calls the operation and prints the response. */
  run?(invocation: Invocation, connection: ApiConnection, output: Output, io: CliIo): Promise<ExitCode>;
  /** Replaces `run` for commands that connect by themselves, or not at all. */
  runAlone?(invocation: Invocation, output: Output, io: CliIo): Promise<ExitCode>;
}

type Definitions<Definition> = Readonly<Record<string, Definition>>;
type Own<Flags, Arguments> = { readonly [Name in keyof Flags]: ValueOf<Flags[Name]> | undefined } & {
  readonly [Name in keyof Arguments]: ValueOf<Arguments[Name]>;
};
type ValueOf<Definition> = Definition extends WithValue<infer Value> ? Value : never;

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

/** Defines what is specific to a command; each command has at most one file. */
export function defineCommand<
  const Flags extends Definitions<FlagDefinition<unknown>> = Record<never, never>,
  const Arguments extends Definitions<ArgumentDefinition<unknown>> = Record<never, never>,
>(definition: TypedDefinition<Flags, Arguments> & Identity): CommandDefinition {
  return definition;
}
