import { attributes, type Html, type HtmlValue, html } from '../../html/page-markup.ts';

export type ButtonKind = 'primary' | 'danger' | 'plain' | 'ordinary';

export interface ButtonOptions {
  readonly kind?: ButtonKind;
  readonly isSmall?: boolean;
  /** Name and value that the form sends for this button. */
  readonly name?: string;
  readonly value?: string;
  /** The key that presses it, shown on the button and read by the script. */
  readonly key?: string;
  /** For the script: what to do instead of submitting. */
  readonly action?: string;
  readonly isDisabled?: boolean;
  /** A form elsewhere on the page. */
  readonly form?: string;
  /** Where the form is sent instead of its own address. */
  readonly formAction?: string;
  /** The frame that shows the response, while the page stays. */
  readonly formTarget?: string;
  /** For what works with an unfinished form, such as a preview. */
  readonly isUnchecked?: boolean;
  /** The script presses it when the content of its form has changed. */
  readonly isPreviewFrame?: boolean;
  /** The script presses it when the page is shown. */
  readonly fillsFrame?: boolean;
  /** What a screen reader says, if the label alone is not clear. */
  readonly description?: string;
}

/** A button that submits its form, or runs an action of the script. */
export function button(label: HtmlValue, options: ButtonOptions = {}): Html {
  const { kind = 'ordinary', isSmall = false, name, value, key, action, isDisabled, form, description } = options;
  const { formAction, formTarget, isUnchecked, isPreviewFrame, fillsFrame } = options;
  const given = {
    type: action === undefined ? 'submit' : 'button',
    class: classOf(kind, isSmall),
    ...{ name, value, form, disabled: isDisabled },
    ...{ formaction: formAction, formtarget: formTarget, formnovalidate: isUnchecked },
    'data-preview-frame': isPreviewFrame,
    'data-fills-frame': fillsFrame,
    'data-action': action,
    'data-key': key,
    'aria-label': description,
    'aria-keyshortcuts': key,
  };
  return html`<button${attributes(given)}>${label}${key === undefined ? null : html` <kbd aria-hidden="true">${key}</kbd>`}</button>`;
}

/** A link that looks like a button. */
export function linkButton(
  label: HtmlValue,
  href: string,
  {
    kind = 'ordinary',
    isSmall = false,
    key,
    description,
  }: Pick<ButtonOptions, 'kind' | 'isSmall' | 'key' | 'description'> = {},
): Html {
  const given = {
    href,
    class: `button ${classOf(kind, isSmall)}`,
    'data-key': key,
    'aria-label': description,
    'aria-keyshortcuts': key,
  };
  return html`<a${attributes(given)}>${label}${key === undefined ? null : html` <kbd aria-hidden="true">${key}</kbd>`}</a>`;
}

function classOf(kind: ButtonKind, isSmall: boolean): string {
  return `${kind === 'ordinary' ? '' : kind}${isSmall ? ' small' : ''}`.trim();
}
