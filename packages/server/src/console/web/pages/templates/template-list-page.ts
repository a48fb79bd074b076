import { type Template, UNSUBSCRIBE_VARIABLE } from '@postrider/core';
import { html } from '../../../../html/page-markup.ts';
import { badge } from '../../../../ui/components/badge.ts';
import { linkButton } from '../../../../ui/components/button.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { emptyState, flushCard, pager } from '../../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../../ui/components/table.ts';
import { time } from '../../../../ui/components/time.ts';
import { type PageResult, page } from '../../console-page.ts';
import { queryOf, withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { TEMPLATES_PATH, templatePath } from './paths.ts';

const SHOWN_VARIABLES = 4;

export async function listPage(request: PageRequest): Promise<PageResult> {
  const given = queryOf(request.query, ['cursor']);
  const { templates, total, nextCursor } = await request.call('templates.list', { query: given });
  const createLink = request.may('templates.create')
    ? linkButton('Create a template', `${TEMPLATES_PATH}/create`, { kind: 'primary', key: 'n' })
    : null;
  const count = total === 1 ? '1 template' : `${total.toLocaleString('en-US')} templates`;
  const next = nextCursor === null ? null : withQuery(TEMPLATES_PATH, { cursor: nextCursor });
  const rows = html`${table({ caption: 'Templates', columns: COLUMNS, rows: templates, idOf: ({ id }) => `template-${id}`, rowAttributes: () => ({ 'data-row': true }) })}
${pager(count, next)}`;
  const none = emptyState(
    'No templates yet',
    'A template has a subject, HTML and text with variables. Programs send it by its slug, and you change it here.',
    createLink,
  );
  return page({
    ...{ title: 'Templates', section: 'templates', watch: ['templates'] },
    content: html`${pageHeader({ title: 'Templates', lead: html`Content with variables, in versions. <span class="live">Live</span>`, actions: createLink })}
${flushCard(null, templates.length === 0 ? none : rows)}`,
  });
}

const COLUMNS: readonly Column<Template>[] = [
  {
    label: 'Template',
    kind: 'lead',
    cell: ({ name, slug, ...template }) =>
      html`<a class="row-link" href="${templatePath(template)}">${name}</a><br><code class="faint">${slug}</code>`,
  },
  {
    label: 'Version',
    cell: ({ currentVersion }) => (currentVersion === null ? badge('Draft only', 'warn') : `Version ${currentVersion}`),
  },
  { label: 'Variables', cell: variablesCell },
  { label: 'Changed', cell: ({ updatedAt }) => time(updatedAt, 'age') },
];

function variablesCell({ variables }: Template) {
  const own = variables.filter(({ name }) => name !== UNSUBSCRIBE_VARIABLE);
  if (own.length === 0) return html`<span class="faint">none</span>`;
  const shown = own.slice(0, SHOWN_VARIABLES).map(({ name }) => html`<code class="tag">${name}</code> `);
  const rest = own.length - SHOWN_VARIABLES;
  return html`${shown}${rest > 0 ? html`<span class="faint small">and ${rest} more</span>` : null}`;
}
