import type { Command, Option } from 'commander';
import { type CliFailure, usageFailure } from '../failure.ts';

/**
 * Finds a flag in place of another flag's value, as in `--cursor --json`. Commander would use `--json` as the cursor, which causes a confusing
 * error, or none. Null if there is no such flag.
 */
export function findSwallowedFlag(program: Command, argv: readonly string[]): CliFailure | null {
  const options = optionsOf(program);
  const names = new Set(options.flatMap(namesOf));
  // Several options can share a name (on sends, the value of `--wait` is optional): a value is required if all of them need one.
  const withoutNeed = new Set(options.filter(({ required }) => !required).flatMap(namesOf));
  for (let at = 0; at < argv.length && argv[at] !== '--'; at++) {
    const flag = argv[at] ?? '';
    if (!names.has(flag) || withoutNeed.has(flag)) continue;
    const value = argv[at + 1] ?? '';
    if (names.has(value)) return swallowedFailure(flag, value);
    at += 1;
  }
  return null;
}

/** A quick check whether a flag with a value precedes something like a flag. Only then is the slow search in the whole tree needed. */
export function mayBeSwallowed(program: Command, argv: readonly string[]): boolean {
  const before = argv.filter((_, at) => argv[at + 1]?.startsWith('-'));
  if (before.length === 0) return false;
  const needing = new Set(
    optionsOf(program)
      .filter(({ required }) => required)
      .flatMap(namesOf),
  );
  return before.some((flag) => needing.has(flag));
}

function swallowedFailure(flag: string, value: string): CliFailure {
  return usageFailure(
    `${flag} needs a value, but ${value} after it is a flag`,
    `Pass a value for ${flag}. If the value is "${value}", write ${flag}=${value}`,
  );
}

function optionsOf(command: Command): readonly Option[] {
  return [...command.options, ...command.commands.flatMap(optionsOf)];
}

function namesOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((name) => name !== undefined);
}
