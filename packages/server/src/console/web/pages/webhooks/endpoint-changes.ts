import { LIMITS, type Problem, type Webhook } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { button, linkButton } from '../../../../ui/components/button.ts';
import { faultOf, textField } from '../../../../ui/components/field.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { card, notice } from '../../../../ui/components/surfaces.ts';
import { type PageResult, page, redirect } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import { PageForm } from '../../page-form.ts';
import { texts } from '../../page-query.ts';
import type { PageRequest } from '../../page-request.ts';
import { chosenEvents, eventChoice } from './event-choice.ts';
import { endpointPath, WEBHOOKS_PATH } from './paths.ts';
import { secretPage } from './secret-page.ts';

/** Why a form is shown again. */
interface Refusal {
  readonly problem: Problem | null;
  readonly eventsFault: string | null;
}

const NONE: Refusal = { problem: null, eventsFault: null };
/** Without a choice, the endpoint would receive everything. */
const NO_EVENTS: Refusal = { problem: null, eventsFault: 'Tick at least one event, or choose all events.' };

/** The fields of the form, so that a link can fill them in. */
export const NEW_ENDPOINT_QUERY = { ...texts(['url', 'description', 'which']), events: 'list' } as const;

export async function newEndpointPage({ query }: PageRequest): Promise<PageResult> {
  return createPage(query, NONE);
}

export async function createEndpoint(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  if (hasNoEvents(form)) return createPage(form, NO_EVENTS);
  const description = form.text('description');
  const events = chosenEvents(form);
  const result = await request.attempt('webhooks.create', {
    body: {
      url: form.text('url') ?? '',
      ...(description === undefined ? {} : { description }),
      ...(events.length === 0 ? {} : { events }),
    },
  });
  return result.ok
    ? secretPage(result.body, 'The endpoint was added')
    : createPage(form, { problem: result.problem, eventsFault: null });
}

export async function editPage(request: PageRequest): Promise<PageResult> {
  const endpoint = await read(request);
  const { url, description, events } = endpoint;
  const fields = [
    ['url', url] as const,
    ['description', description ?? ''] as const,
    ['which', events.length === 0 ? 'all' : 'chosen'] as const,
    ...events.map((type) => ['events', type] as const),
  ];
  return changePage(endpoint, new PageForm(fields), NONE);
}

export async function changeEndpoint(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const endpoint = await read(request);
  if (hasNoEvents(form)) return changePage(endpoint, form, NO_EVENTS);
  const result = await request.attempt('webhooks.update', {
    params: { id: endpoint.id },
    body: { url: form.text('url') ?? '', description: form.text('description') ?? null, events: chosenEvents(form) },
  });
  return result.ok
    ? redirect(endpointPath(endpoint), 'The endpoint was changed.')
    : changePage(endpoint, form, { problem: result.problem, eventsFault: null });
}

function read(request: PageRequest): Promise<Webhook> {
  return request.call('webhooks.get', { params: { id: request.param('id') } });
}

function hasNoEvents(form: PageForm): boolean {
  return form.get('which') === 'chosen' && chosenEvents(form).length === 0;
}

function createPage(form: PageForm, refusal: Refusal): PageResult {
  const title = 'Add an endpoint';
  const path = `${WEBHOOKS_PATH}/create`;
  const actions = html`${button('Add the endpoint', { kind: 'primary' })}${linkButton('Back', WEBHOOKS_PATH, { kind: 'plain' })}`;
  return page({
    ...{ title, section: 'webhooks', status: statusOf(refusal) },
    content: html`${pageHeader({ title, lead: 'Events contain recipients and subjects: add only URLs of your own.', crumbs: [{ label: 'Webhooks', href: WEBHOOKS_PATH }] })}
${noticeOf(refusal)}${card('Endpoint', endpointForm(path, form, refusal, actions))}`,
  });
}

function changePage(endpoint: Webhook, form: PageForm, refusal: Refusal): PageResult {
  const title = 'Change the endpoint';
  const path = endpointPath(endpoint);
  const actions = html`${button('Save', { kind: 'primary' })}${linkButton('Back', path, { kind: 'plain' })}`;
  return page({
    ...{ title, section: 'webhooks', status: statusOf(refusal) },
    content: html`${pageHeader({
      title,
      lead: 'A new URL and other events apply to waiting deliveries too.',
      crumbs: [
        { label: 'Webhooks', href: WEBHOOKS_PATH },
        { label: endpoint.url, href: path },
      ],
    })}${noticeOf(refusal)}${card('Endpoint', endpointForm(`${path}/edit`, form, refusal, actions))}`,
  });
}

function endpointForm(action: string, form: PageForm, { problem, eventsFault }: Refusal, actions: Html): Html {
  const fault = (name: string) => faultOf(problem?.errors, name);
  return html`<form class="form" method="post" action="${action}">
${textField({ name: 'url', label: 'URL', type: 'url', value: form.get('url'), isRequired: true, maxLength: LIMITS.urlCharacters, placeholder: 'https://example.com/hooks', fault: fault('url'), hint: `Responds with 2xx within ${LIMITS.webhookSeconds} seconds. Other deliveries are tried again for about 75 hours.` })}
${textField({ name: 'description', label: 'Description', value: form.get('description'), maxLength: LIMITS.webhookDescriptionCharacters, fault: fault('description') })}
${eventChoice(form, eventsFault ?? fault('events'))}<div class="actions">${actions}</div></form>`;
}

function statusOf({ problem, eventsFault }: Refusal): number {
  return problem?.status ?? (eventsFault === null ? 200 : 422);
}

function noticeOf({ problem, eventsFault }: Refusal): Html | null {
  if (problem !== null) return problemNotice(problem);
  return eventsFault === null ? null : notice('bad', 'No event is chosen.', eventsFault);
}
