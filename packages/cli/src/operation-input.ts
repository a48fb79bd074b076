import type { CommandDescription } from './command-description.ts';

/** An operation's input by its place in the HTTP request, as the SDK accepts it. */
export interface OperationInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined if the operation has no body. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Maps the values of a command to their places in the request. */
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
