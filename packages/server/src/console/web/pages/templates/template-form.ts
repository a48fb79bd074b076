import { LIMITS, type Problem } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { button, linkButton } from '../../../../ui/components/button.ts';
import { codeField } from '../../../../ui/components/code-field.ts';
import { checkbox, faultOf, textField } from '../../../../ui/components/field.ts';
import type { PageForm } from '../../page-form.ts';
import { formFrame } from './preview-frame.ts';
import { type Preview, previewFault, previewPart } from './template-preview.ts';

export interface TemplateForm {
  readonly form: PageForm;
  /** Why it was not stored. */
  readonly problem: Problem | null;
  readonly preview: Preview;
  /** Where it is stored. */
  readonly action: string;
  readonly previewAction: string;
  readonly backHref: string;
  readonly saveLabel: string;
  /** What belongs to the stored template; empty for a new one. */
  readonly hidden?: Html;
  /** The HTML to show before anything was typed. */
  readonly frameSrc: string | null;
  /** The form was sent before, so it has what was typed last. */
  readonly isReturned: boolean;
}

const FORM_ID = 'template-form';
/** What the script replaces while the user types. */
const LIVE_PARTS = 'preview subject-fault html-fault text-fault variables-fault';

/** The editor with its preview. */
export function templateForm(given: TemplateForm): Html {
  const { action, previewAction, backHref, saveLabel, hidden, isReturned } = given;
  return html`<div class="editor"><section class="card"><div class="body"><form class="form" id="${FORM_ID}" method="post" action="${action}" data-preview="${LIVE_PARTS}" data-preview-address="${previewAction}" data-keep-typed="${action}"${isReturned ? html` data-returned` : null}>
${hidden}${fields(given)}<div class="actions">${button(saveLabel, { kind: 'primary' })}${button('Preview', { formAction: previewAction, isUnchecked: true })}${linkButton('Back', backHref, { kind: 'plain' })}</div></form></div></section>
${previewCard(given)}</div>`;
}

function fields({ form, problem, preview }: TemplateForm): Html {
  const faultAt = (name: string) => faultOf(problem?.errors, name) ?? previewFault(preview, name);
  return html`<div class="pair">${textField({ name: 'name', label: 'Name', value: form.get('name'), isRequired: true, maxLength: LIMITS.templateNameCharacters, fault: faultAt('name') })}
${textField({ name: 'slug', label: 'Slug', value: form.get('slug'), maxLength: LIMITS.templateSlugCharacters, fault: faultAt('slug'), placeholder: 'from the name', hint: 'Sends refer to the template by its slug.' })}</div>
${codeField({ name: 'subject', label: 'Subject', value: form.get('subject'), rows: 1, fault: faultAt('subject') })}
${codeField({ name: 'html', label: 'HTML', value: form.get('html'), rows: 18, fault: faultAt('html'), hint: html`Liquid: <code>{{ name }}</code> is replaced by a value. <code>{{ unsubscribe_url }}</code> is each recipient’s own link.` })}
${codeField({ name: 'text', label: 'Plain text', value: form.get('text'), rows: 6, fault: faultAt('text'), hint: 'Leave it empty to make it from the HTML.' })}
${checkbox({ name: 'noText', label: 'Send no plain text part', hint: 'Only if the field above is empty.', isChecked: form.has('noText') })}
${codeField({ name: 'variables', label: 'Sample values', value: form.get('variables'), rows: 6, fault: faultAt('variables'), hint: 'JSON, for the preview only. They are not stored.' })}
${textField({ name: 'note', label: 'Note', value: form.get('note'), maxLength: LIMITS.templateNoteCharacters, fault: faultAt('note'), hint: 'What this version changes, for the version history.' })}`;
}

function previewCard({ preview, frameSrc }: TemplateForm): Html {
  return html`<section class="card sticky"><header><h2>Preview</h2></header><div class="body"><div id="preview" class="stack">${previewPart(preview)}</div>
${formFrame(FORM_ID, frameSrc)}</div></section>`;
}
