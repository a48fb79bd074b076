import { CliFailure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { listOf } from './id-lists.ts';
import { CHARACTERS_MIN, isTooShort } from './id-prefix.ts';

/** Adds the length of short ids to the fix of an error about a record that was not found by fewer characters. */
export function withShortIdAdvice(failure: CliFailure, { command, values }: Invocation): CliFailure {
  const { exitCode, problem } = failure;
  const isMeant = command.inputs.some(
    ({ name, positional }) =>
      positional && listOf(command.id, name) !== null && [values[name]].flat().some(isShortText),
  );
  if (problem.code !== 'not_found' || !isMeant) return failure;
  const advice = `The beginning of an id needs at least ${CHARACTERS_MIN} characters.`;
  return new CliFailure(exitCode, { ...problem, fix: [problem.fix, advice].filter(Boolean).join(' ') });
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && isTooShort(value);
}
