import { attributes, type Html, html } from '../../html/page-markup.ts';
import type { FieldOptions } from './field.ts';

/**
 * Source code. The place of its fault is always on the page, so that the script can show a fault while the user types.
 */
export function codeField(options: FieldOptions & { readonly rows?: number }): Html {
  const { name, id = name, label, value, hint, fault = null, rows = 8, placeholder, maxLength } = options;
  const given = {
    ...{ id, name, rows, placeholder, maxlength: maxLength, class: 'code', spellcheck: 'false', wrap: 'soft' },
    ...{ autocapitalize: 'off', autocomplete: 'off' },
    'aria-invalid': fault === null ? null : 'true',
    'aria-errormessage': `${id}-fault`,
    'aria-describedby': hint == null ? `${id}-fault` : `${id}-fault ${id}-hint`,
  };
  // A line break right after the tag is not part of the value.
  return html`<div class="field"><label for="${id}">${label}</label><textarea${attributes(given)}>
${value ?? ''}</textarea>
<span class="fault" id="${id}-fault" role="status">${fault}</span>${hint == null ? null : html`<small id="${id}-hint">${hint}</small>`}</div>`;
}
