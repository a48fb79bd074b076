import type { CommandDescription } from './command-description.ts';

/** An operation's input by where it travels in the HTTP request, as the SDK takes it. */
export interface OperationInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined where the operation takes none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Puts a command's values, by the arguments' names, where the request carries them. */
export function placeValues(
  { inputs }: Pick<CommandDescription, 'inputs'>,
  values: Readonly<Record<string, unknown>>,
): OperationInput {
  const fieldsAt = (place: string) =>
    Object.fromEntries(
      inputs
        .filter((input) => input.place === place && values[input.name] !== undefined)
        .map((input) => [input.key, values[input.name]]),
    );
  return {
    params: fieldsAt('params'),
    query: fieldsAt('query'),
    headers: fieldsAt('headers'),
    body: inputs.some(({ place }) => place === 'body') ? fieldsAt('body') : undefined,
  };
}
