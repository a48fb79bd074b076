import { LIMITS, type Problem, type Template } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { badge } from '../../../../ui/components/badge.ts';
import { button, linkButton } from '../../../../ui/components/button.ts';
import { codeField } from '../../../../ui/components/code-field.ts';
import { facts } from '../../../../ui/components/facts.ts';
import { faultOf } from '../../../../ui/components/field.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { card, confirmation, flushCard } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import { readActorNames } from '../../actor-names.ts';
import { type PageResult, page } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import type { PageRequest } from '../../page-request.ts';
import { TEMPLATES_PATH, templatePath } from './paths.ts';
import { writeSamples } from './sample-values.ts';
import { variableList } from './template-preview.ts';
import { versionsPart } from './version-list.ts';

/** Why a form on the page was refused, and what was typed into it. */
export interface RefusedTest {
  readonly problem: Problem | null;
  readonly variables: string;
  /** What is wrong with the JSON. */
  readonly fault: string | null;
}

export async function templatePage(request: PageRequest, refused: RefusedTest | null = null): Promise<PageResult> {
  const [template, names] = await Promise.all([
    request.call('templates.get', { params: { id: request.param('id') } }),
    readActorNames(request),
  ]);
  const { name, slug } = template;
  const status = refused === null ? 200 : (refused.problem?.status ?? 422);
  return page({
    ...{ title: name, section: 'templates', status, watch: refused === null ? ['templates'] : [] },
    content: html`${pageHeader({ title: name, lead: html`<code>${slug}</code> ${stateBadge(template)} <span class="live">Live</span>`, crumbs: [{ label: 'Templates', href: TEMPLATES_PATH }], actions: actions(request, template) })}
${refused?.problem == null ? null : problemNotice(refused.problem)}<div class="columns"><div class="stack">${previewCard(template)}
${flushCard('Versions', versionsPart(template, names))}</div><div class="stack">${variablesCard(template)}${testCard(request, template, refused)}${factsCard(template)}</div></div>`,
  });
}

function stateBadge({ currentVersion }: Template): Html {
  return currentVersion === null
    ? badge('Draft only: no one can send it', 'warn')
    : badge(`Version ${currentVersion}`, 'good');
}

function actions(request: PageRequest, template: Template): Html {
  const path = templatePath(template);
  const deletion = request.may('templates.delete')
    ? confirmation(
        'Delete',
        html`<form method="post" action="${path}/delete" class="stack-tight"><p><b>${template.name}</b> and all its versions are deleted permanently. Sends that name <code>${template.slug}</code> are refused from then on.</p>${button('Delete the template', { kind: 'danger' })}</form>`,
      )
    : null;
  const edit = request.may('templates.update')
    ? linkButton('Edit', `${path}/edit`, { kind: 'primary', key: 'e' })
    : null;
  return html`${deletion}${edit}`;
}

function previewCard(template: Template): Html {
  const { subject, version } = template;
  return card(
    'Preview',
    html`<p><span class="faint">Subject</span> <bdi class="strong">${subject ?? 'None: each send passes its own'}</bdi></p>
<iframe class="mail-frame" title="The template as it would be displayed" sandbox src="${templatePath(template)}/frame?version=${version}"></iframe>
<p class="small faint">With sample values. Links do not open here, and images from other servers are not loaded.</p>`,
  );
}

function variablesCard({ variables }: Template): Html {
  return card(
    'Send it',
    html`${variableList(variables, [])}<p class="small soft">Programs send it by its slug, with a value for each required variable.</p>`,
  );
}

function testCard(request: PageRequest, template: Template, refused: RefusedTest | null): Html | null {
  if (!request.may('templates.test') || template.currentVersion === null) return null;
  const fault = refused === null ? null : (refused.fault ?? faultOf(refused.problem?.errors, 'variables'));
  return card(
    'Send a test to yourself',
    html`<form class="stack-tight" method="post" action="${templatePath(template)}/test">${codeField({ name: 'variables', label: 'Sample values', value: refused?.variables ?? writeSamples(template.variables), rows: 5, fault, hint: `JSON, at most ${LIMITS.templateVariablesCharacters.toLocaleString('en-US')} characters.` })}
<p class="small soft">Sends version ${template.currentVersion} to ${request.caller.user.email}. It counts as a send.</p><div>${button('Send the test')}</div></form>`,
  );
}

function factsCard({ id, createdAt, updatedAt }: Template): Html {
  return card(
    'About this template',
    facts([
      ['Created', time(createdAt)],
      ['Changed', time(updatedAt)],
      ['Id', html`<code>${id}</code>`],
    ]),
  );
}
