import { type Html, html } from '../../html/page-markup.ts';

export interface Tile {
  readonly label: string;
  readonly value: string;
  readonly detail?: string;
  /** Where the number is explained. */
  readonly href?: string;
}

/** One number of an overview. */
export function tile({ label, value, detail, href }: Tile): Html {
  const content = html`<span>${label}</span><strong>${value}</strong>${detail === undefined ? null : html`<small>${detail}</small>`}`;
  return href === undefined
    ? html`<div class="tile">${content}</div>`
    : html`<a class="tile" href="${href}">${content}</a>`;
}
