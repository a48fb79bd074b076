import { outcomeOf } from '../../outcome.ts';
import { isRecord, recordsOf, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderSheet, type SheetLine } from '../sheet.ts';
import { singleLine } from '../untrusted-text.ts';
import { withReply } from './email.ts';

/** The status of a message that was just sent, and the next step. Accepts both the response of a send and a whole message. */
export function showSend(response: unknown, output: Output): void {
  const message = isRecord(response) ? response : {};
  const id = singleLine(textOf(message['id']));
  const status = singleLine(textOf(message['status']));
  const lines: readonly SheetLine[] = [
    ['id', id],
    ['status', output.paint.status(status)],
    ['reason', output.paint.bad(reasonOf(message['events'], message['lastError'], status))],
  ];
  output.writeText(renderSheet(lines, output));
  output.remark(nextStep(id, status));
}

/** For a failed message: the reason from its last event. */
function reasonOf(events: unknown, lastError: unknown, status: string): string {
  if (outcomeOf(status) !== 'failed') return '';
  const event = recordsOf(events).findLast(({ type }) => type === status) ?? {};
  const facts = [event['classification'], event['recipient']].map((fact) => singleLine(textOf(fact)));
  return withReply(facts, event['detail'] ?? lastError);
}

function nextStep(id: string, status: string): string {
  switch (outcomeOf(status)) {
    case 'held':
      return `The message is held until an approver decides. See its status: postrider emails get ${id}`;
    case 'open':
      return `Delivery continues in the background. Wait for the outcome: postrider emails get ${id} --wait 60`;
    case 'failed':
      return `See all its events: postrider emails get ${id}`;
    case 'succeeded':
      return `See the message and its events: postrider emails get ${id}`;
  }
}
