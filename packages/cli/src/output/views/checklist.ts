import type { Checklist, ChecklistItem } from '@postrider/sdk';
import { recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { hangText } from '../wrap-text.ts';

/** The steps of the first setup; each open step is followed by its instructions. */
export function showChecklist(response: Shown<Checklist>, output: Output): void {
  const lines = recordsOf<ChecklistItem>(response['items']).flatMap((item) => {
    const label = singleLine(textOf(item['label']));
    if (item['done'] === true) return [`[x] ${output.paint.faint(label)}`];
    const fix = hangText('    ', singleLine(textOf(item['fix'])), output.width);
    return [...hangText('[ ] ', label, output.width), ...fix.map(output.paint.faint)];
  });
  output.writeText(lines.map((line) => `${line}\n`).join(''));
  output.remark(`${Number(response['completed'])} of ${Number(response['total'])} done.`);
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['Checklist'], showChecklist)];
