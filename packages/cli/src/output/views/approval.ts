import type { Approval, ApprovalOutcomes, ApprovalPage, DecidedApproval } from '@postrider/sdk';
import { progressOf, readHold, recipientsOf } from '../../approvals/hold.ts';
import { endLines, previewLines } from '../../approvals/preview-lines.ts';
import type { ShownLine, Tone } from '../../approvals/shown-line.ts';
import { formatTimeLeftShort } from '../../approvals/time-left.ts';
import { idColumn } from '../id-column.ts';
import { isRecord, type JsonRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { problemText } from '../problem-text.ts';
import { renderTable } from '../table.ts';
import { singleLine, withoutInvisibles } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';

/** Wide enough that nothing is folded without a terminal. */
const UNBOUND_COLUMNS = 100_000;

/** A hold with all its details. */
export function showApproval(response: Shown<Approval | DecidedApproval>, output: Output, now: Date): void {
  const hold = readHold(response);
  const lines = previewLines(hold, output.width ?? UNBOUND_COLUMNS, now);
  output.writeText(lines.map((line) => toText(line, output)).join(''));
  if (hold.status === 'pending')
    output.remark(`Decide with approve, reject or edit: postrider approvals approve ${hold.id}`);
}

/** A decision and its result. */
export function showDecision(response: JsonRecord, output: Output): void {
  const hold = readHold(response);
  const lines: readonly ShownLine[] = [
    { text: `Subject     ${singleLine(hold.subject)}` },
    ...endLines(hold, output.width ?? UNBOUND_COLUMNS),
  ];
  output.writeText(lines.map((line) => toText(line, output)).join(''));
  if (hold.status === 'pending')
    output.remark('Your approval is recorded. The message is sent when enough people have approved it.');
  else output.remark(`Follow the message: postrider emails get ${hold.emailId}`);
}

/** One line per hold of a decision about several: its status, and what happened or why it was refused. */
export function showDecisions(response: Shown<ApprovalOutcomes>, output: Output): void {
  const results = recordsOf(response['results']);
  const cells = (read: (result: JsonRecord) => string) => results.map((result) => singleLine(read(result)));
  const columns = [
    idColumn(cells(({ id }) => textOf(id))),
    {
      title: 'status',
      cells: cells(({ ok, approval }) => (ok === true ? readHold(approval).status : 'not decided')),
      paint: (cell: string) => (cell === 'not decided' ? output.paint.bad(cell) : output.paint.status(cell)),
    },
    // Errors are not cut, because they say what to do.
    { title: 'details', cells: cells(outcomeOf), minWidth: 24, wraps: true as const },
  ];
  output.writeText(renderTable(columns, output.width, output.paint));
  const count = (name: 'accepted' | 'refused' | 'total') => singleLine(textOf(response[name]));
  output.remark(`${count('accepted')} of ${count('total')} decisions recorded, ${count('refused')} refused.`);
}

function outcomeOf({ approval, error }: JsonRecord): string {
  if (isRecord(error)) return `${textOf(error['code'])}: ${textOf(error['detail'])} Fix: ${problemText(error['fix'])}`;
  const hold = readHold(approval);
  if (hold.outcome === 'failed') return `not sent: ${hold.problem ?? 'refused'}`;
  return progressOf(hold) || hold.subject;
}

/** The holds of an account, both pending and decided. */
export function showApprovalList(response: Shown<ApprovalPage>, output: Output, now: Date): void {
  const holds = recordsOf(response['approvals']).map(readHold);
  const cells = (read: (hold: (typeof holds)[number]) => string) =>
    holds.map((hold) => withoutInvisibles(singleLine(read(hold))));
  const columns = [
    idColumn(cells(({ id }) => id)),
    { title: 'status', cells: cells(({ status }) => status), paint: output.paint.status },
    { title: 'subject', cells: cells(({ subject }) => subject), minWidth: 8 },
    { title: 'to', cells: cells((hold) => recipientsOf(hold).join(', ')), minWidth: 8, dropOrder: 3 },
    { title: 'sent by', cells: cells(({ agentName, keyName }) => agentName || keyName), minWidth: 8, dropOrder: 1 },
    { title: 'held by', cells: cells(({ reasons }) => reasons.join(', ')), minWidth: 8, dropOrder: 2 },
    {
      title: 'expires',
      cells: cells(({ status, expiresAt }) => (status === 'pending' ? formatTimeLeftShort(expiresAt, now) : '')),
      dropOrder: 4,
    },
  ];
  if (holds.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(response, holds.length, 'held sends', output);
}

function toText({ text, tone }: ShownLine, { paint }: Output): string {
  const styles: Readonly<Partial<Record<Tone, (text: string) => string>>> = {
    ...{ title: paint.title, faint: paint.faint, bad: paint.bad },
  };
  const style = tone === undefined ? undefined : styles[tone];
  return `${style === undefined ? text : style(text)}\n`;
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [
  defineView(['Approval', 'DecidedApproval'], showApproval),
  defineView(['ApprovalPage'], showApprovalList),
  defineView(['ApprovalOutcomes'], showDecisions),
];
