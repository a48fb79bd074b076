import type { Command, Option } from 'commander';
import { type CliFailure, usageFailure } from '../failure.ts';

/**
 * Finds a flag that stands where another flag's value belongs, as in `--cursor --json`. The parser would take `--json` for the cursor, and
 * the user's mistake would come back as an odd refusal, or as none. Null where the command line has no such place.
 */
export function findSwallowedFlag(program: Command, argv: readonly string[]): CliFailure | null {
  const options = optionsOf(program);
  const names = new Set(options.flatMap(namesOf));
  // A name can stand for several options (`--wait` takes an optional value on sends): a value must follow where all of them need one.
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

/** Whether a flag that takes a value stands before what looks like a flag: only then there is anything to find, which takes the whole tree. */
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
