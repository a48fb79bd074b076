import { defineCommand } from '../../define-command.ts';
import { followNew, idOf, type LogKind } from '../../log/follow-log.ts';
import { NOT_OF_TAIL, TAIL_FLAGS } from '../../log/tail-flags.ts';
import { type JsonRecord, textOf } from '../../output/json-value.ts';
import type { Output } from '../../output/output.ts';
import { cutToWidth, padToWidth, textWidth } from '../../output/text-width.ts';
import { formatTime } from '../../output/time.ts';
import { singleLine } from '../../output/untrusted-text.ts';

export const definition = defineCommand({
  id: 'emails tail',
  shortcut: 'tail',
  about: {
    summary: 'Follow new emails',
    description:
      'Prints the newest messages, oldest first, and then each new one as it is accepted, until Ctrl-C. With `--json`, each message is a JSON document on one line.',
    needsKey: true,
    scope: { of: 'emails.list' },
    examples: ['postrider emails tail --tag order', 'postrider emails tail --source agent --json | jq -r .subject'],
    inputs: [{ of: 'emails.list', without: NOT_OF_TAIL }],
  },
  flags: TAIL_FLAGS,
  run: (invocation, connection, output, io) => followNew(LOG, invocation, connection, output, io),
});

const LOG: LogKind = {
  operation: 'emails.list',
  rows: 'messages',
  position: idOf,
  describe: describeMessage,
};

/** The width of the longest status. */
const STATUS_COLUMNS = 16;
const ROWS_PER_LINE = 2;
const ABOUT_COLUMNS_MIN = 20;

function describeMessage(row: JsonRecord, { paint, width }: Output): string {
  const text = (name: string) => singleLine(textOf(row[name]));
  const time = formatTime(text('createdAt'));
  const status = padToWidth(text('status'), STATUS_COLUMNS);
  const head = textWidth(`${time}  ${status}  ${text('id')}  `);
  const about = `${text('to')}  ${text('subject')}`;
  // Subjects have up to 998 characters: two rows of the window are enough for a line.
  const shown = width === null ? about : cutToWidth(about, Math.max(ABOUT_COLUMNS_MIN, ROWS_PER_LINE * width - head));
  return `${paint.faint(time)}  ${paint.status(status)}  ${text('id')}  ${shown}`;
}
