import type {
  BlocklistCheck,
  DkimCheck,
  DmarcCheck,
  InboxPlacementCheck,
  MxCheck,
  SpfCheck,
  Tool,
  ToolList,
} from '@postrider/sdk';
import { type JsonRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import type { Paint } from '../paint.ts';
import { renderBlock } from '../sheet.ts';
import { type Column, renderTable } from '../table.ts';
import { padToWidth } from '../text-width.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { wrapText } from '../wrap-text.ts';

/** The findings of a check, the worst first, each with its fix; then the records that it read. */
export function showToolCheck(
  check: Shown<BlocklistCheck | DkimCheck | DmarcCheck | InboxPlacementCheck | MxCheck | SpfCheck>,
  output: Output,
): void {
  const { paint, width } = output;
  const text = (name: keyof typeof check) => singleLine(textOf(check[name]));
  const records = recordsOf(check['records']);
  output.writeText(
    [
      `${paint.title(`${text('check')} of ${text('target')}`)}: ${paint.status(text('status'))}\n\n`,
      ...recordsOf(check['findings']).map((finding) => findingText(finding, width, paint)),
      renderBlock('Records', recordsTable(records, width, paint), output),
    ].join(''),
  );
}

const LEVEL_COLUMNS = 4;
const GAP = '  ';

function findingText({ level, code, message, fix }: JsonRecord, width: number | null, paint: Paint): string {
  const name = singleLine(textOf(level));
  const indent = ' '.repeat(LEVEL_COLUMNS + GAP.length);
  const columns = width === null ? Number.POSITIVE_INFINITY : width - indent.length;
  const paragraph = (text: string) => wrapText(singleLine(text), columns);
  // A finding that passes needs no fix.
  const advice = name === 'pass' ? [] : paragraph(`Fix: ${textOf(fix)}`);
  const [first = '', ...more] = paragraph(`${textOf(code)}: ${textOf(message)}`);
  const lines = [`${paint.status(padToWidth(name, LEVEL_COLUMNS))}${GAP}${first}`];
  return `${[...lines, ...[...more, ...advice].map((line) => `${indent}${line}`)].join('\n')}\n`;
}

/** In a narrow terminal these columns are dropped in this order, after all others. */
const DROPPED_LATE = ['detail', 'reason', 'state', 'lookups', 'priority'];
/** Shown by the indentation of the names. */
const SHOWN_OTHERWISE = ['depth', 'parent'];

function recordsTable(records: readonly JsonRecord[], width: number | null, paint: Paint): string {
  if (records.length === 0) return '';
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))].filter(
    (name) => !SHOWN_OTHERWISE.includes(name),
  );
  // The block around the table indents it by two.
  return renderTable(
    names.map((name) => columnOf(name, records, paint)),
    width === null ? null : width - 2,
    paint,
  );
}

function columnOf(name: string, records: readonly JsonRecord[], paint: Paint): Column {
  const cells = records.map((record) => cellOf(name, record));
  if (name === 'type' || name === 'status')
    return { title: name, cells, ...(name === 'status' ? { paint: paint.status } : {}) };
  if (name === 'name') return { title: name, cells, minWidth: 12 };
  if (name === 'value') return { title: name, cells, minWidth: 16 };
  return { title: name, cells, minWidth: 6, dropOrder: DROPPED_LATE.indexOf(name) + 1 };
}

/** The names of an SPF tree are indented by their depth. */
function cellOf(name: string, record: JsonRecord): string {
  const text = singleLine(textOf(record[name]));
  const depth = record['depth'];
  return name === 'name' && typeof depth === 'number' ? `${GAP.repeat(Math.max(0, depth))}${text}` : text;
}

/** The list of tools. */
export function showToolList(response: Shown<ToolList>, output: Output): void {
  const rows = recordsOf<Tool>(response['tools']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'name', cells: cells('name') },
    { title: 'path', cells: rows.map(({ method, path }) => singleLine(`${textOf(method)} ${textOf(path)}`)) },
    { title: 'description', cells: cells('description'), minWidth: 20, wraps: true as const },
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [
  defineView(
    ['BlocklistCheck', 'DkimCheck', 'DmarcCheck', 'InboxPlacementCheck', 'MxCheck', 'SpfCheck'],
    showToolCheck,
  ),
  defineView(['ToolList'], showToolList),
];
