import { type JsonRecord, recordsOf, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderBlock, renderSheet } from '../sheet.ts';
import { formatTime } from '../time.ts';
import { severalLines, singleLine } from '../untrusted-text.ts';

/** One template: what it is, what it takes, its versions and its bodies. */
export function showTemplate(template: JsonRecord, { paint, writeText }: Output): void {
  const text = (name: string) => singleLine(textOf(template[name]));
  writeText(
    [
      renderSheet(
        [
          ['id', text('id')],
          ['slug', text('slug')],
          ['name', text('name')],
          ['subject', text('subject')],
          ['version', versionText(text('version'), text('currentVersion'))],
          ['variables', variablesText(template['variables'])],
          ['created', formatTime(text('createdAt'))],
          ['changed', formatTime(text('updatedAt'))],
        ],
        paint,
      ),
      renderBlock('Versions', versionRows(template['versions']), paint),
      renderBlock('Html', severalLines(textOf(template['html'])), paint),
      renderBlock('Text', severalLines(textOf(template['text'])), paint),
    ].join(''),
  );
}

function versionText(version: string, current: string): string {
  return version === current ? version : `${version} (the current one is ${current})`;
}

/** What it can do without has a question mark. */
function variablesText(variables: unknown): string {
  const names = recordsOf(variables).map(({ name, required }) => `${textOf(name)}${required === true ? '' : '?'}`);
  return singleLine(names.join(', '));
}

function versionRows(versions: unknown): string {
  const rows = recordsOf(versions).toReversed();
  return rows
    .map((row) => {
      const note = singleLine(textOf(row['note']));
      return `${textOf(row['version'])}  ${formatTime(singleLine(textOf(row['createdAt'])))}  ${note}`.trimEnd();
    })
    .join('\n');
}
