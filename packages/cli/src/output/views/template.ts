import type { Template } from '@postrider/sdk';
import { recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderBody, renderSheet } from '../sheet.ts';
import { formatTime } from '../time.ts';
import { severalLines, singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';

/** One template: its details, variables, versions and bodies. */
export function showTemplate(template: Shown<Template>, output: Output): void {
  const text = (name: keyof typeof template) => singleLine(textOf(template[name]));
  output.writeText(
    [
      renderSheet(
        [
          ['id', text('id')],
          ['slug', text('slug')],
          ['name', text('name')],
          ['subject', text('subject')],
          ['version', versionText(text('version'), text('currentVersion'), text('status'))],
          ['variables', variablesText(template['variables'])],
          ['created', formatTime(text('createdAt'))],
          ['changed', formatTime(text('updatedAt'))],
        ],
        output,
      ),
      renderBody('Versions', versionRows(template['versions']), output),
      renderBody('HTML', severalLines(textOf(template['html'])), output),
      renderBody('Text', severalLines(textOf(template['text'])), output),
    ].join(''),
  );
}

function versionText(version: string, current: string, status: string): string {
  if (version === current) return version;
  const now = current === '' ? 'no version is published' : `the current one is ${current}`;
  return `${version} (${status === 'draft' ? 'a draft, not live; ' : ''}${now})`;
}

/** A question mark marks an optional variable. */
function variablesText(variables: unknown): string {
  const names = recordsOf(variables).map(({ name, required }) => `${textOf(name)}${required === true ? '' : '?'}`);
  return singleLine(names.join(', '));
}

function versionRows(versions: unknown): string {
  const rows = recordsOf(versions).toReversed();
  return rows
    .map((row) => {
      const note = singleLine(textOf(row['note']));
      const state = row['status'] === 'draft' ? '  draft' : '';
      return `${textOf(row['version'])}  ${formatTime(singleLine(textOf(row['createdAt'])))}${state}  ${note}`.trimEnd();
    })
    .join('\n');
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['Template'], showTemplate)];
