import { defineCommand } from '../../define-command.ts';
import { followNew, type LogKind } from '../../log/follow-log.ts';
import { NOT_OF_TAIL, TAIL_FLAGS } from '../../log/tail-flags.ts';
import { logId } from '../../output/id-column.ts';
import { type JsonRecord, textOf } from '../../output/json-value.ts';
import { renderEntry } from '../../output/log-entry.ts';
import type { Output } from '../../output/output.ts';
import { formatLogTime } from '../../output/time.ts';
import { singleLine } from '../../output/untrusted-text.ts';

export const definition = defineCommand({
  id: 'requests tail',
  shortcut: 'logs tail',
  about: {
    summary: 'Follow new requests',
    description:
      'Prints the newest requests to the API, oldest first, and then each new one, until Ctrl-C. It omits its own requests. With `--json`, each request is a JSON document on one line.',
    needsKey: true,
    scope: { of: 'requests.list' },
    examples: ['postrider logs tail', 'postrider requests tail --json | jq -r .path'],
    inputs: [{ of: 'requests.list', without: NOT_OF_TAIL }],
  },
  flags: TAIL_FLAGS,
  run: (invocation, connection, output, io) => followNew(LOG, invocation, connection, output, io),
});

const LOG: LogKind = {
  operation: 'requests.list',
  rows: 'requests',
  // Callers can choose the ids of requests, so their order says nothing.
  position: (row) => textOf(row['createdAt']),
  describe: describeRequest,
};

function describeRequest(row: JsonRecord, { paint, width }: Output): string {
  const text = (name: string) => singleLine(textOf(row[name]));
  const head = `${paint.faint(formatLogTime(text('createdAt'), width))}  ${text('status').padStart(3)}  ${text('method').padEnd(6)}  `;
  const aside = [text('code'), `${text('durationMs')} ms`, logId(text('id'), width)].map((part) => ({
    text: part,
    paint: paint.faint,
  }));
  return renderEntry(head, [{ text: text('path') }, ...aside], width);
}
