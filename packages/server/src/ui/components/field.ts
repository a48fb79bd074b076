import type { FieldProblem } from '@postrider/core';
import { attributes, type Html, type HtmlValue, html } from '../../html/page-markup.ts';

export interface FieldOptions {
  readonly name: string;
  readonly label: HtmlValue;
  readonly value?: string | null;
  readonly hint?: HtmlValue;
  /** What is wrong with the value. */
  readonly fault?: string | null | undefined;
  readonly type?: 'text' | 'email' | 'url' | 'number' | 'search' | 'password' | 'datetime-local' | 'date';
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly min?: number | string;
  readonly max?: number | string;
  /** The id; by default the name. Needed where a page has two fields of one name. */
  readonly id?: string;
}

/** One line of text. */
export function textField(options: FieldOptions): Html {
  const { type = 'text', min, max, autocomplete = 'off' } = options;
  const given = { ...inputAttributes(options), type, min, max, autocomplete, value: options.value };
  return wrap(options, html`<input${attributes(given)}>`);
}

/** Several lines of text. */
export function textArea(options: FieldOptions & { readonly rows?: number; readonly isCode?: boolean }): Html {
  const { rows = 6, isCode = false, value } = options;
  const given = {
    ...inputAttributes(options),
    rows,
    class: isCode ? 'code' : null,
    spellcheck: isCode ? 'false' : null,
  };
  // A line break right after the tag is not part of the value.
  return wrap(
    options,
    html`<textarea${attributes(given)}>
${value ?? ''}</textarea>`,
  );
}

export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

/** One of several values. */
export function select(options: FieldOptions & { readonly options: readonly SelectOption[] }): Html {
  const list = options.options.map(
    ({ value, label }) =>
      html`<option${attributes({ value, selected: value === (options.value ?? '') })}>${label}</option>`,
  );
  return wrap(options, html`<select${attributes(inputAttributes(options))}>${list}</select>`);
}

export interface ChoiceOptions {
  readonly name: string;
  readonly value?: string;
  readonly label: HtmlValue;
  readonly hint?: HtmlValue;
  readonly isChecked?: boolean;
  readonly isDisabled?: boolean;
}

/** A box to tick. */
export function checkbox({ name, value = 'true', label, hint, isChecked, isDisabled }: ChoiceOptions): Html {
  return choice({ type: 'checkbox', name, value, checked: isChecked, disabled: isDisabled }, label, hint);
}

/** One of several choices that belong together by their name. */
export function radio({ name, value = '', label, hint, isChecked, isDisabled }: ChoiceOptions): Html {
  return choice({ type: 'radio', name, value, checked: isChecked, disabled: isDisabled }, label, hint);
}

function choice(given: Parameters<typeof attributes>[0], label: HtmlValue, hint: HtmlValue): Html {
  const small = hint === undefined || hint === null ? null : html`<small>${hint}</small>`;
  return html`<label class="choice"><input${attributes(given)}><span><strong>${label}</strong>${small}</span></label>`;
}

/** What a problem says about one field of a form. */
export function faultOf(errors: readonly FieldProblem[] | undefined, path: string): string | null {
  const found = errors?.find(
    (error) => error.path === path || error.path.startsWith(`${path}.`) || error.path.startsWith(`${path}[`),
  );
  return found === undefined ? null : found.message;
}

function inputAttributes({ name, id = name, fault, hint, isRequired, maxLength, placeholder }: FieldOptions) {
  const described = [fault == null ? null : `${id}-fault`, hint == null ? null : `${id}-hint`]
    .filter(Boolean)
    .join(' ');
  return {
    ...{ id, name, required: isRequired, maxlength: maxLength, placeholder },
    'aria-invalid': fault == null ? null : 'true',
    'aria-describedby': described === '' ? null : described,
  };
}

function wrap({ name, id = name, label, hint, fault }: FieldOptions, input: Html): Html {
  return html`<div class="field"><label for="${id}">${label}</label>${input}
${fault == null ? null : html`<span class="fault" id="${id}-fault">${fault}</span>`}${hint == null ? null : html`<small id="${id}-hint">${hint}</small>`}</div>`;
}
