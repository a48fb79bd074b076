import type { CliIo } from './cli-io.ts';
import type { InputDescription } from './command-description.ts';
import { readContent, readsStdin } from './content-argument.ts';
import { usageFailure } from './failure.ts';

/** The values of a command, with the content of files and stdin in place of their names. */
export async function withContent(
  inputs: readonly InputDescription[],
  values: Readonly<Record<string, unknown>>,
  io: CliIo,
): Promise<Readonly<Record<string, unknown>>> {
  const given = inputs.flatMap(({ name, flags: [flag = name], isContent }) => {
    const value = values[name];
    return isContent === true && typeof value === 'string' ? [{ name, flag, value }] : [];
  });
  const fromStdin = given.filter(({ value }) => readsStdin(value));
  if (fromStdin.length > 1) {
    const flags = fromStdin.map(({ flag }) => flag).join(' and ');
    throw usageFailure(`${flags} cannot both read stdin`, 'Pass one of them as @file.');
  }
  const contents: Record<string, string> = {};
  for (const { name, flag, value } of given) contents[name] = await readContent(flag, value, io);
  return { ...values, ...contents };
}
