import { type Html, type HtmlValue, html } from '../../html/page-markup.ts';

export interface PageHeader {
  readonly title: HtmlValue;
  readonly lead?: HtmlValue;
  readonly actions?: HtmlValue;
  /** The pages above this one. */
  readonly crumbs?: readonly { readonly label: string; readonly href: string }[];
}

/** The heading of a page: where it is, what it is, and what can be done. */
export function pageHeader({ title, lead, actions, crumbs = [] }: PageHeader): Html {
  const path = crumbs.map(
    ({ label, href }, index) =>
      html`${index === 0 ? null : html`<span aria-hidden="true">/</span>`}<a href="${href}">${label}</a>`,
  );
  return html`<header class="page-header"><div>${crumbs.length === 0 ? null : html`<nav class="crumbs" aria-label="Breadcrumb">${path}</nav>`}
<h1>${title}</h1>${lead == null ? null : html`<p>${lead}</p>`}</div>${actions == null ? null : html`<div class="actions">${actions}</div>`}</header>`;
}
