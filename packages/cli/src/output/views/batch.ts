import { isRecord, type JsonRecord, recordsOf, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { problemText } from '../problem-text.ts';
import { renderTable } from '../table.ts';
import { singleLine } from '../untrusted-text.ts';

/** One line per item: its position, its status, and its id or the error. */
export function showBatch(response: JsonRecord, output: Output): void {
  const { paint } = output;
  const results = recordsOf(response['results']);
  const columns = [
    { title: '#', cells: results.map(({ index }) => singleLine(textOf(index))) },
    { title: 'status', cells: results.map(statusOf), paint: paintStatus(output) },
    // Errors are not cut, because they say what to do.
    { title: 'id or reason', cells: results.map(detailOf), minWidth: 24, wraps: true as const },
  ];
  output.writeText(renderTable(columns, output.width, paint));
  const count = (name: string) => singleLine(textOf(response[name]));
  output.remark(`${count('accepted')} of ${count('total')} accepted, ${count('refused')} refused.`);
}

function statusOf({ ok, dryRun, status }: JsonRecord): string {
  if (dryRun === true) return ok === true ? 'would be accepted' : 'would be refused';
  return ok === true ? singleLine(textOf(status)) : 'refused';
}

function paintStatus({ paint }: Output) {
  return (cell: string) => (cell.includes('refused') ? paint.bad(cell) : paint.status(cell));
}

function detailOf({ id, error, result }: JsonRecord): string {
  if (isRecord(error)) return reasonOf(error['code'], error['detail'], error['fix']);
  if (!isRecord(result)) return singleLine(textOf(id));
  return recordsOf(result['checks'])
    .filter(({ ok }) => ok !== true)
    .map(({ code, message, fix }) => reasonOf(code, message, fix))
    .join(' ');
}

function reasonOf(code: unknown, detail: unknown, fix: unknown): string {
  return singleLine(`${textOf(code)}: ${textOf(detail)} Fix: ${problemText(fix)}`);
}
