import type { Template } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { button, linkButton } from '../../../../ui/components/button.ts';
import { textField } from '../../../../ui/components/field.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { revealed } from '../../../../ui/components/revealed-text.ts';
import { card, confirmation, notice } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import { readActorNames } from '../../actor-names.ts';
import { type PageResult, page } from '../../console-page.ts';
import { withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { TEMPLATES_PATH, templatePath } from './paths.ts';
import { authorName, versionBadge } from './version-list.ts';

/** One version: its source, as it would be displayed, and the way back to it. */
export async function versionPage(request: PageRequest, given?: string, warning?: Html): Promise<PageResult> {
  const [template, names] = await Promise.all([
    request.call('templates.get', {
      params: { id: request.param('id') },
      query: { version: given ?? request.param('version') },
    }),
    readActorNames(request),
  ]);
  const { name, version } = template;
  const made = template.versions.find((one) => one.version === version);
  const title = `${name}, version ${version}`;
  const lead =
    made === undefined
      ? null
      : html`${versionBadge(template, made)} ${authorName(made.createdBy, names)}, ${time(made.createdAt)}`;
  const path = templatePath(template);
  return page({
    ...{ title, section: 'templates', status: warning === undefined ? 200 : 409 },
    content: html`${pageHeader({
      ...{ title, lead, actions: actions(request, template) },
      crumbs: [
        { label: 'Templates', href: TEMPLATES_PATH },
        { label: name, href: path },
      ],
    })}${warning}${made?.note == null ? null : notice('info', 'Note', revealed(made.note))}
<div class="halves">${card('Source', source(template))}${card('Preview', html`<iframe class="mail-frame" title="The version as it would be displayed" sandbox src="${path}/frame?version=${version}"></iframe>`)}</div>`,
  });
}

function source({ subject, html: body, text }: Template): Html {
  const part = (title: string, content: string | null, absent: string) =>
    html`<section class="stack-tight"><h3>${title}</h3>${content === null || content === '' ? html`<p class="soft">${absent}</p>` : html`<pre tabindex="0">${content}</pre>`}</section>`;
  return html`${part('Subject', subject, 'None: each send passes its own.')}${part('HTML', body, 'None')}${part('Plain text', text, text === null ? 'Made from the HTML' : 'None is sent')}`;
}

function actions(request: PageRequest, template: Template): Html {
  const { version, status, currentVersion } = template;
  if (version === currentVersion || currentVersion === null) return html``;
  const path = templatePath(template);
  const compare = linkButton(
    'Compare with current version',
    withQuery(`${path}/compare`, { from: String(version), to: String(currentVersion) }),
  );
  if (status === 'draft' || !request.may('templates.update')) return compare;
  return html`${compare}${confirmation(
    'Roll back to this version',
    html`<form method="post" action="${path}/rollback" class="stack-tight"><p>A new version that equals version ${version} replaces version ${currentVersion}. No version is lost.</p>
<input type="hidden" name="version" value="${version}"><input type="hidden" name="base" value="${currentVersion}">${textField({ name: 'note', label: 'Note', value: `Back to version ${version}` })}${button('Roll back', { kind: 'primary' })}</form>`,
    { isDanger: false },
  )}`;
}
