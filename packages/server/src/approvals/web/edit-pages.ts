import type { Approval, FieldProblem } from '@postrider/core';
import { newApprovalDecisionSchema } from '@postrider/core';
import { attributes, type Html, html } from '../../html/page-markup.ts';
import { parsePart } from '../../operations/parse-part.ts';
import { button } from '../../ui/components/button.ts';
import { checkbox, textField } from '../../ui/components/field.ts';
import { card, notice } from '../../ui/components/surfaces.ts';
import { type GivenDecision, UNSHOWN } from './decision-form.ts';
import { type EditFields, editForm, editsOf, keptFields } from './edit-form.ts';
import { editedFrame } from './edited-frame.ts';
import { acceptanceForecast, type Forecast } from './view/acceptance-forecast.ts';
import { passkeyWords } from './view/decision-forms.ts';
import { APPROVAL_NOTE, NOTE_HINT } from './view/decision-words.ts';
import { editingClears, rememberHint } from './view/voting-words.ts';

export interface EditPage {
  readonly title: string;
  readonly content: Html;
  readonly status: number;
}

interface Editing {
  readonly approval: Approval;
  readonly base: string;
  readonly fields: EditFields;
}

/** @param problems what was refused, with the words for the top of the page */
export function editPage(
  { approval, base, fields }: Editing,
  refused: {
    readonly status: number;
    readonly detail: string;
    readonly fix?: string;
    readonly errors: readonly FieldProblem[];
  } | null = null,
): EditPage {
  const said = refused === null ? null : notice('bad', refused.detail, refused.fix ?? 'Correct it and compare again.');
  return {
    title: 'Edit before it is sent',
    content: html`<p class="soft">You are editing “${approval.subject}”. Nothing is sent until you have seen the changes.</p>${said}${editForm({ approval, base, fields }, refused?.errors ?? [])}`,
    status: refused?.status ?? 200,
  };
}

/** The approval with these edits; what the schema refuses as faults of the fields. */
export function checkEdits({
  approval,
  fields,
}: Pick<Editing, 'approval' | 'fields'>):
  | { readonly ok: true; readonly given: GivenDecision }
  | { readonly ok: false; readonly errors: readonly FieldProblem[] } {
  if (fields.contentHash === '') return { ok: false, errors: [UNSHOWN] };
  const note = fields.note.trim();
  const given: GivenDecision = {
    decision: 'approve',
    contentHash: fields.contentHash,
    edits: editsOf(approval, fields),
    ...(note === '' ? {} : { note }),
  };
  const parsed = parsePart(newApprovalDecisionSchema, given, 'edits');
  return parsed.ok ? { ok: true, given } : { ok: false, errors: parsed.problems };
}

/** The differences and the approval of them. */
export function comparisonPage(
  { approval, base, fields }: Editing,
  differences: string,
  {
    next,
    mayRemember,
    forecast,
    passkeyHost,
  }: {
    readonly next: string | null;
    readonly mayRemember: boolean;
    readonly forecast: Forecast;
    readonly passkeyHost: string | null;
  },
): EditPage {
  const sending = approval.approvers.requirePasskey
    ? { 'data-passkey': 'approve', 'data-host': passkeyHost }
    : { 'data-undo': approval.id, 'data-subject': fields.subject, 'data-next': next };
  const remember = mayRemember
    ? checkbox({
        name: 'remember',
        label: 'Remember these recipients',
        hint: rememberHint(approval),
      })
    : null;
  const isSame = differences === '';
  const changes = isSame
    ? html`<p class="soft">You changed nothing. It would be sent unchanged.</p>`
    : ({ markup: differences } satisfies Html);
  return {
    title: 'Send it with these changes?',
    content: html`<p class="soft">“${approval.subject}”, before and after.</p>${approval.approvers.count > 1 ? notice('info', 'Others must approve your changes', editingClears(approval)) : null}${acceptanceForecast(forecast)}${card('What you changed', changes)}
<form class="stack" method="post" action="${base}/edit"${attributes(sending)}><input type="submit" value="Choose a button" disabled hidden><input type="hidden" name="decision" value="approve">${keptFields(fields)}
${fields.html === '' ? null : card('How it will look', editedFrame(base, { isFinal: true }))}
${card('Your decision', html`${passkeyWords(approval)}${textField({ name: 'note', label: APPROVAL_NOTE, hint: NOTE_HINT, value: fields.note, maxLength: 1_000 })}${remember}`)}
<div class="decision-bar" role="group" aria-label="Decision"><span></span><div class="actions">${button('Edit again', { name: 'step', value: 'change' })}${button(approval.approvers.count > 1 ? 'Approve with these changes' : 'Approve and send', { kind: 'primary', key: 'a', name: 'step', value: 'approve' })}</div></div></form>`,
    status: 200,
  };
}
