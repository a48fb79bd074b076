import { type Approval, type FieldProblem, LIMITS, parseMailbox } from '@postrider/core';
import { type Html, html } from '../../html/page-markup.ts';
import { button, linkButton } from '../../ui/components/button.ts';
import { faultOf, textArea, textField } from '../../ui/components/field.ts';
import { card } from '../../ui/components/surfaces.ts';
import type { GivenDecision } from './decision-form.ts';
import { editedFrame } from './edited-frame.ts';

export type GivenEdits = NonNullable<GivenDecision['edits']>;

/** The values of the form: those of the message, or what was typed. */
export interface EditFields {
  readonly to: string;
  readonly cc: string;
  readonly bcc: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The time of the sending in UTC, as a field has it: `2026-01-31T09:00`. Empty for at once. */
  readonly scheduled: string;
  readonly contentHash: string;
  readonly note: string;
}

const NAMES = ['to', 'cc', 'bcc', 'subject', 'html', 'text', 'scheduled', 'contentHash', 'note'] as const;

/** The fields of a message that was not edited yet. */
export function fieldsOf(approval: Approval): EditFields {
  const { to, cc, bcc, subject, html: body, text, scheduledAt, contentHash } = approval;
  return {
    ...{ to: to.join('\n'), cc: cc.join('\n'), bcc: bcc.join('\n'), subject, html: body ?? '', text: text ?? '' },
    scheduled: scheduledAt === null ? '' : scheduledAt.slice(0, 16),
    contentHash: contentHash ?? '',
    note: '',
  };
}

/** What was typed. Forms send line breaks as CRLF. */
export function readEditFields(form: URLSearchParams): EditFields {
  const given = NAMES.map((name) => [name, (form.get(name) ?? '').replaceAll('\r\n', '\n')] as const);
  return Object.fromEntries(given) as unknown as EditFields; // Every name is one of its fields.
}

/** The edits that an operation accepts: the fields that differ from the message. */
export function editsOf(approval: Approval, fields: EditFields): GivenEdits {
  const before = fieldsOf(approval);
  const changed = (name: keyof EditFields) => fields[name].trim() !== plain(before[name]).trim();
  return {
    ...(changed('to') ? { to: lines(fields.to) } : {}),
    ...(changed('cc') ? { cc: lines(fields.cc) } : {}),
    ...(changed('bcc') ? { bcc: lines(fields.bcc) } : {}),
    ...(changed('subject') ? { subject: fields.subject.trim() } : {}),
    ...(changed('html') ? { html: fields.html } : {}),
    ...(changed('text') ? { text: fields.text } : {}),
    ...(changed('scheduled') ? { scheduled_at: fields.scheduled === '' ? 'PT0S' : `${fields.scheduled}:00Z` } : {}),
  };
}

/** Everyone who gets the edited message, as bare addresses. */
export function recipientsIn({ to, cc, bcc }: EditFields): readonly string[] {
  return [to, cc, bcc].flatMap(lines).flatMap((line) => {
    const verdict = parseMailbox(line);
    return verdict.ok ? [verdict.mailbox.address] : [];
  });
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/,$/, ''))
    .filter((line) => line !== '');
}

/** The form that changes a held message. It leads to the comparison, not to a decision. */
export function editForm(
  { approval, base, fields }: { readonly approval: Approval; readonly base: string; readonly fields: EditFields },
  errors: readonly FieldProblem[],
): Html {
  const fault = (name: string) => faultOf(errors, `edits.${name}`) ?? faultOf(errors, name);
  const recipients = (name: 'to' | 'cc' | 'bcc', label: string, hint?: string) =>
    textArea({
      ...{ name, label, rows: 2, value: fields[name], fault: fault(name) },
      ...(hint === undefined ? {} : { hint }),
    });
  const isUnchanged = plain(fields.html) === plain(approval.html ?? '');
  const preview = html`<details class="more" open><summary>How it looks</summary>${editedFrame(base, { src: isUnchanged ? `${base}/html` : null })}</details>`;
  return html`<form class="form wide-form" method="post" action="${base}/edit" data-keep-typed>${hidden('contentHash', fields.contentHash)}${hidden('note', fields.note)}
${card(
  'Recipients',
  html`${recipients('to', 'To', 'One address on each line, with or without a name: Ada Lovelace <ada@acme.example>')}${recipients('cc', 'Cc')}${recipients('bcc', 'Bcc', 'Blind copies. The other recipients do not see them.')}`,
)}
${card(
  'Content',
  html`${textField({ name: 'subject', label: 'Subject', value: fields.subject, fault: fault('subject'), maxLength: LIMITS.subjectCharacters })}
${textArea({ name: 'html', label: 'HTML', value: fields.html, rows: 14, isCode: true, fault: fault('html') })}
${approval.html === null && fields.html === '' ? null : preview}
${textArea({ name: 'text', label: 'Plain text', value: fields.text, rows: 8, fault: fault('text'), hint: 'If you change only the HTML, plain text that was generated from it is generated again.' })}`,
)}
${card('Time', schedule(fields, fault('scheduled_at')))}
<div class="actions">${button('Compare with the original', { kind: 'primary', name: 'step', value: 'compare' })}${linkButton('Back', base, { kind: 'plain' })}</div></form>`;
}

function schedule({ scheduled }: EditFields, fault: string | null): Html {
  return html`<div data-local-schedule>${textField({ name: 'scheduled', label: 'Send at', type: 'datetime-local', value: scheduled, fault, hint: 'In UTC. Leave it empty to send as soon as it is approved.' })}</div>`;
}

/** The same values for the next step, unchanged. A text area keeps line breaks, which a hidden input does not. */
export function keptFields(fields: EditFields): Html {
  return html`${NAMES.filter((name) => name !== 'note').map((name) => hidden(name, fields[name]))}`;
}

function hidden(name: string, value: string): Html {
  return value.includes('\n')
    ? html`<textarea name="${name}" hidden aria-label="${name}">
${value}</textarea>`
    : html`<input type="hidden" name="${name}" value="${value}">`;
}
