import type { Template, TemplatePage } from '@postrider/sdk';
import { recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../table.ts';
import { formatAge } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';

/** The templates by slug, the name that sends use. */
export function showTemplateList(response: Shown<TemplatePage>, output: Output, now: Date): void {
  const rows = recordsOf<Template>(response['templates']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'slug', cells: cells('slug') },
    { title: 'version', cells: cells('currentVersion').map((version) => version || 'draft') },
    { title: 'name', cells: cells('name'), minWidth: 8, dropOrder: 2 },
    { title: 'subject', cells: cells('subject'), minWidth: 8, dropOrder: 3 },
    { title: 'changed', cells: cells('updatedAt').map((time) => formatAge(time, now)), dropOrder: 1 },
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(response, rows.length, 'templates', output);
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['TemplatePage'], showTemplateList)];
