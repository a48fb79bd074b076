import { type Html, type HtmlValue, html } from '../../html/page-markup.ts';

/** Names and values. A fact whose value is null is left out. */
export function facts(rows: readonly (readonly [name: string, value: HtmlValue])[]): Html {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== false);
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
