import type { Template } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { badge } from '../../../../ui/components/badge.ts';
import { button } from '../../../../ui/components/button.ts';
import { select } from '../../../../ui/components/field.ts';
import { revealed } from '../../../../ui/components/revealed-text.ts';
import { type Column, table } from '../../../../ui/components/table.ts';
import { time } from '../../../../ui/components/time.ts';
import type { ActorNames } from '../../actor-names.ts';
import { templatePath, versionPath } from './paths.ts';

type Version = Template['versions'][number];

const SHOWN = 50;

/** The versions, newest first, and a form that compares two of them. */
export function versionsPart(template: Template, names: ActorNames): Html {
  const versions = template.versions.toReversed();
  const columns: readonly Column<Version>[] = [
    {
      label: 'Version',
      kind: 'lead',
      cell: ({ version }) => html`<a class="row-link" href="${versionPath(template, version)}">Version ${version}</a>`,
    },
    { label: 'Status', cell: (version) => versionBadge(template, version) },
    { label: 'Note', cell: ({ note }) => (note === null ? null : revealed(note)) },
    { label: 'By', cell: ({ createdBy }) => authorName(createdBy, names) },
    { label: 'When', cell: ({ createdAt }) => time(createdAt) },
  ];
  const rest = versions.length - SHOWN;
  return html`${versions.length < 2 ? null : compareForm(template, versions)}${table({ caption: 'Versions, newest first', columns, rows: versions.slice(0, SHOWN), idOf: ({ version }) => `version-${version}` })}
${rest > 0 ? html`<div class="pager"><span>${rest} older versions can be chosen above.</span></div>` : null}`;
}

export function versionBadge({ currentVersion }: Template, { version, status }: Version): Html {
  if (status === 'draft') return badge('Draft', 'warn');
  return version === currentVersion ? badge('Current', 'good') : badge('Earlier');
}

export function authorName(id: string | null, names: ActorNames): Html {
  const known = id === null ? undefined : names.get(id);
  if (known === undefined) return html`<span class="faint">A former user or key</span>`;
  return known.href === null
    ? html`<bdi>${known.name}</bdi>`
    : html`<a href="${known.href}"><bdi>${known.name}</bdi></a>`;
}

function compareForm(template: Template, versions: readonly Version[]): Html {
  const options = versions.map(({ version, status }) => ({
    value: String(version),
    label: status === 'draft' ? `Version ${version} (draft)` : `Version ${version}`,
  }));
  const [to, from] = options;
  return html`<form class="filters" method="get" action="${templatePath(template)}/compare">
${select({ name: 'from', label: 'Compare', value: from?.value ?? '', options })}${select({ name: 'to', label: 'with', value: to?.value ?? '', options })}${button('Show the differences')}</form>`;
}
