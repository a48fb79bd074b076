import { attributes, type Html, type HtmlValue, html } from '../../html/page-markup.ts';

export interface Chip {
  readonly label: HtmlValue;
  readonly href: string;
  readonly isCurrent?: boolean;
  /** What a screen reader says, if the label alone is not clear. */
  readonly description?: string;
}

/** Short links in a row, such as views of a list or filters that are in force. */
export function chips(name: string, list: readonly Chip[]): Html {
  const items = list.map(({ label, href, isCurrent, description }) => {
    const given = { href, 'aria-current': isCurrent === true ? 'true' : null, 'aria-label': description };
    return html`<a class="chip"${attributes(given)}>${label}</a>`;
  });
  return html`<nav class="chips" aria-label="${name}">${items}</nav>`;
}

/** A filter in force. The link removes it. */
export function removableChip(name: string, value: string, href: string): Chip {
  return {
    label: html`<span class="cut"><span class="faint">${name}</span> ${value}</span><span aria-hidden="true">×</span>`,
    description: `Remove the filter ${name}: ${value}`,
    href,
  };
}
