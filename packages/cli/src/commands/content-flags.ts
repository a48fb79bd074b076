import type { Command } from 'commander';
import type { CliIo } from '../cli-io.ts';
import type { InputDescription } from '../command-description.ts';
import { readContent, readsStdin } from '../content-argument.ts';
import { usageFailure } from '../failure.ts';

/** What may come from a file or from stdin. */
const CONTENT_FLAGS: readonly string[] = ['--html', '--text', '--raw', '--body'];

/** Operations whose commands have such flags. */
export const CONTENT_OPERATIONS: readonly string[] = [
  'emails.send',
  'templates.create',
  'templates.update',
  'templates.render',
  'tickets.create',
  'tickets.reply',
  'tools.inbox-placement',
];

/** The help that these flags have beyond their operation. */
export function describeContentFlags(command: Command): Command {
  for (const option of command.options.filter(({ long }) => CONTENT_FLAGS.includes(long ?? ''))) {
    option.description +=
      ' Or @file for the content of a file, - for what comes on stdin; @@ begins content with an @.';
  }
  return command;
}

/** The values of a command with the content that its flags stand for. */
export async function withContent(
  inputs: readonly InputDescription[],
  values: Readonly<Record<string, unknown>>,
  io: CliIo,
): Promise<Readonly<Record<string, unknown>>> {
  const given = inputs.flatMap(({ name, flags }) => {
    const value = values[name];
    const flag = flags.find((candidate) => CONTENT_FLAGS.includes(candidate));
    return flag !== undefined && typeof value === 'string' ? [{ name, flag, value }] : [];
  });
  const asking = given.filter(({ value }) => readsStdin(value));
  if (asking.length > 1) {
    const flags = asking.map(({ flag }) => flag).join(' and ');
    throw usageFailure(`${flags} cannot both read stdin`, 'Give one of them as @file.');
  }
  const contents: Record<string, string> = {};
  for (const { name, flag, value } of given) contents[name] = await readContent(flag, value, io);
  return { ...values, ...contents };
}
