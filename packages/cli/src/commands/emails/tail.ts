import { defineCommand } from '../../define-command.ts';
import { followNew, idOf, type LogKind } from '../../log/follow-log.ts';
import { NOT_OF_TAIL, TAIL_FLAGS } from '../../log/tail-flags.ts';
import { logId } from '../../output/id-column.ts';
import { type JsonRecord, textOf } from '../../output/json-value.ts';
import { type EntryPart, renderEntry } from '../../output/log-entry.ts';
import type { Output } from '../../output/output.ts';
import { cutToWidth, padToWidth, textWidth } from '../../output/text-width.ts';
import { formatLogTime, isNarrow } from '../../output/time.ts';
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

function describeMessage(row: JsonRecord, { paint, width }: Output): string {
  const text = (name: string) => singleLine(textOf(row[name]));
  const time = formatLogTime(text('createdAt'), width);
  const status = padToWidth(text('status'), STATUS_COLUMNS);
  const head = `${paint.faint(time)}  ${paint.status(status)}  `;
  const id = logId(text('id'), width);
  if (!isNarrow(width)) return renderEntry(head, [id, text('to'), text('subject')].map(toPart), width);
  // Always two lines, so that the statuses and recipients of several messages can be compared.
  const to = cutToWidth(text('to'), Math.max(TO_COLUMNS_MIN, width - textWidth(`${time}  ${status}  `)));
  return `${head}${to}\n${cutToWidth(`    ${id}  ${text('subject')}`, width)}`;
}

/** Even a very narrow terminal shows the beginning of the address. */
const TO_COLUMNS_MIN = 8;

function toPart(text: string): EntryPart {
  return { text };
}
