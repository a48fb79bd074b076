import type { CliIo } from '../../cli-io.ts';
import { readContent } from '../../content-argument.ts';
import { defineCommand } from '../../define-command.ts';
import { usageFailure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { textFlag } from '../../own-flag.ts';
import { callAndShow, runOperation } from '../../run-operation.ts';

/** The flags that describe a message by its parts. */
const PARTS = ['raw', 'from', 'subject', 'html', 'text'] as const;

/** Also reads the message from a file or stdin. */
export const definition = defineCommand({
  id: 'tools.inbox-placement',
  // The operation accepts the message as text.
  flags: {
    file: textFlag(
      '--file <path>',
      'File with the whole message, or - for stdin; replaces --raw. Without any other flag, the message is read from stdin unless stdin is a terminal.',
      { conflicts: 'raw' },
    ),
  },
  async run(invocation, connection, output, io) {
    const raw = await readMessage(invocation.own.file, invocation.values, io);
    if (raw === null) return runOperation(invocation, connection, output, io);
    return callAndShow(invocation.command, { ...invocation.values, raw }, connection, output);
  },
});

/** Null if other flags contain the message. */
async function readMessage(file: string | undefined, values: Invocation['values'], io: CliIo): Promise<string | null> {
  if (file !== undefined) return readContent('--file', file === '-' ? '-' : `@${file}`, io);
  if (PARTS.some((name) => values[name] !== undefined)) return null;
  if (io.stdin.isTTY !== true) return readContent('--file', '-', io);
  throw usageFailure('no message to check', 'For example: postrider tools inbox-placement --file message.eml');
}
