import { diffArrays, diffWordsWithSpace } from 'diff';
import { type Html, html } from '../../html/page-markup.ts';

/** Lines around a change. */
const CONTEXT = 2;
/** With more changed lines, all count as changed: the shortest difference would take noticeable time to find. */
const EDITS_MAX = 500;
/** Words are compared in pairs of lines that are not longer. */
const LINE_CHARACTERS = 2_000;
const ROWS_MAX = 400;
/** The rest of a longer line is left out: no one reads it, and bodies can have one line of two megabytes. */
const SHOWN_CHARACTERS = 5_000;

interface Line {
  readonly kind: 'same' | 'del' | 'add';
  readonly content: string | Html;
}

/**
 * The lines that differ between two texts, with their surroundings. Changed words are marked within lines.
 * @param of what the texts are, on a page with several differences
 */
export function textDiff(before: string, after: string, of?: string): Html {
  const rows = withContext(compare(before.split('\n'), after.split('\n')));
  const shown = rows.slice(0, ROWS_MAX);
  const rest = rows.length - shown.length;
  return html`<div class="source diff" tabindex="0" role="region" aria-label="${of === undefined ? 'Differences' : `Differences: ${of}`}">${shown.map(line)}${rest > 0 ? html`<div class="faint">And ${rest.toLocaleString('en-US')} more lines</div>` : null}</div>`;
}

function line({ kind, content: whole }: Line): Html {
  const content = typeof whole === 'string' && whole.length > SHOWN_CHARACTERS ? shortened(whole) : whole;
  if (kind === 'same') return html`<div>  ${content}</div>`;
  const [sign, said] = kind === 'add' ? ['+', 'Added:'] : ['−', 'Removed:'];
  return html`<div class="${kind}"><span aria-hidden="true">${sign} </span><span class="unseen">${said} </span>${content}</div>`;
}

function shortened(text: string): Html {
  const rest = text.length - SHOWN_CHARACTERS;
  return html`${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}<span class="faint"> … and ${rest.toLocaleString('en-US')} more characters</span>`;
}

function compare(before: string[], after: string[]): readonly Line[] {
  const found = diffArrays(before, after, { maxEditLength: EDITS_MAX });
  const changes = found ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const lines: Line[] = [];
  for (let at = 0; at < changes.length; at += 1) {
    const change = changes[at];
    const next = changes[at + 1];
    if (change === undefined) continue;
    if (change.removed && next?.added === true) {
      lines.push(...pairs(change.value, next.value));
      at += 1;
    } else {
      const kind = change.added ? 'add' : change.removed ? 'del' : 'same';
      lines.push(...change.value.map((content) => ({ kind, content }) as const));
    }
  }
  return lines;
}

/** Lines that replace others one by one show which words differ. */
function pairs(removed: readonly string[], added: readonly string[]): readonly Line[] {
  const arePaired = removed.length === added.length && removed.length <= 50;
  const marked = removed.map((was, index) => {
    const is = added[index] ?? '';
    return arePaired && was.length + is.length <= LINE_CHARACTERS ? words(was, is) : { was, is };
  });
  const before = arePaired ? marked.map(({ was }) => was) : removed;
  const after = arePaired ? marked.map(({ is }) => is) : added;
  return [
    ...before.map((content) => ({ kind: 'del' as const, content })),
    ...after.map((content) => ({ kind: 'add' as const, content })),
  ];
}

function words(before: string, after: string): { readonly was: Html; readonly is: Html } {
  const parts = diffWordsWithSpace(before, after);
  const was = parts.flatMap(({ value, added, removed }) =>
    added ? [] : [removed ? html`<del>${value}</del>` : value],
  );
  const is = parts.flatMap(({ value, added, removed }) => (removed ? [] : [added ? html`<ins>${value}</ins>` : value]));
  return { was: html`${was}`, is: html`${is}` };
}

function withContext(lines: readonly Line[]): readonly Line[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, index) => {
    if (kind === 'same') return;
    for (let at = index - CONTEXT; at <= index + CONTEXT; at += 1) near.add(at);
  });
  return lines.flatMap((one, index): readonly Line[] => {
    if (near.has(index)) return [one];
    return near.has(index - 1) ? [{ kind: 'same', content: '…' }] : [];
  });
}
