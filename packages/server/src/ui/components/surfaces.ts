import { type Html, type HtmlValue, html } from '../../html/page-markup.ts';

/** A titled part of a page. */
export function card(
  title: HtmlValue,
  body: HtmlValue,
  { actions, footer }: { readonly actions?: HtmlValue; readonly footer?: HtmlValue } = {},
): Html {
  return html`<section class="card"><header><h2>${title}</h2>${actions}</header><div class="body">${body}</div>${footer == null ? null : html`<footer>${footer}</footer>`}</section>`;
}

/** A part whose content fills it from edge to edge, such as a table. */
export function flushCard(title: HtmlValue, body: HtmlValue, { actions }: { readonly actions?: HtmlValue } = {}): Html {
  return html`<section class="card">${title === null ? null : html`<header><h2>${title}</h2>${actions}</header>`}${body}</section>`;
}

/** What a list shows when it has no rows: why, and what to do. */
export function emptyState(title: string, text: HtmlValue, action?: HtmlValue): Html {
  return html`<div class="empty"><strong>${title}</strong><p>${text}</p>${action}</div>`;
}

/** A message to the reader. Faults and warnings are announced by screen readers at once. */
export function notice(tone: 'info' | 'good' | 'warn' | 'bad', title: HtmlValue, text?: HtmlValue): Html {
  const role = tone === 'good' || tone === 'info' ? 'status' : 'alert';
  return html`<div class="notice ${tone}" role="${role}"><strong>${title}</strong>${text == null ? null : html`<p>${text}</p>`}</div>`;
}

/** A value with a button that copies it. Without scripts, the value can be selected. */
export function copyable(value: string, description: string): Html {
  return html`<div class="copyable"><code>${value}</code><button type="button" class="small" data-action="copy" data-copy="${value}" aria-label="${description}" hidden>Copy</button></div>`;
}

export interface TabLink {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

export function tabs(label: string, links: readonly TabLink[]): Html {
  const items = links.map(
    ({ label: text, href, isCurrent }) =>
      html`<a href="${href}"${isCurrent ? html` aria-current="page"` : null}>${text}</a>`,
  );
  return html`<nav class="tabs" aria-label="${label}">${items}</nav>`;
}

/** The next page of a list. The address of the first page stays in the browser's history. */
export function pager(shown: string, nextHref: string | null): Html {
  return html`<div class="pager"><span>${shown}</span>${nextHref === null ? null : html`<a class="button small" href="${nextHref}" rel="next">Next page</a>`}</div>`;
}

/** A button that needs a second press: the first opens what will happen and the second does it. */
export function confirmation(
  label: HtmlValue,
  body: HtmlValue,
  { isDanger = true }: { readonly isDanger?: boolean } = {},
): Html {
  return html`<details class="popover"><summary class="button ${isDanger ? 'danger' : ''}">${label}</summary><div>${body}</div></details>`;
}
