import { LIMITS, type Problem } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { button, linkButton } from '../../../../ui/components/button.ts';
import { faultOf, select, textField } from '../../../../ui/components/field.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { card, notice } from '../../../../ui/components/surfaces.ts';
import { type PageResult, page, redirect } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import { PageForm } from '../../page-form.ts';
import type { PageRequest } from '../../page-request.ts';
import { chosenEvents, eventBoxes } from './event-choice.ts';
import { endpointPath, WEBHOOKS_PATH } from './paths.ts';

const DAY_MS = 86_400_000;

const STATUSES = [
  { value: '', label: 'All events' },
  { value: 'failed', label: 'Only those it did not accept' },
  { value: 'succeeded', label: 'Only those it accepted' },
];

export async function replayPage(request: PageRequest): Promise<PageResult> {
  const since = toField(new Date(request.now.getTime() - DAY_MS));
  return await show(
    request,
    new PageForm([
      ['since', since],
      ['status', 'failed'],
    ]),
    null,
    null,
  );
}

/** The first step says how many events it would be. Only the second one queues them. */
export async function replay(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const params = { id: request.param('id') };
  const isFinal = form.get('action') === 'replay';
  // A window without an end gets one with the count, so that the replay has the events that were counted.
  const fixed = form.text('until') === undefined ? withUntil(form, request.now) : form;
  const result = await request.attempt('webhooks.replay', { params, body: { ...inputOf(fixed), dryRun: !isFinal } });
  if (!result.ok) return await show(request, form, result.problem, null);
  if ('wouldQueue' in result.body) return await show(request, fixed, null, result.body.wouldQueue);
  const { queued } = result.body;
  return redirect(`${endpointPath(params)}/deliveries`, `${count(queued)} delivered again now.`);
}

function inputOf(form: PageForm) {
  const events = chosenEvents(new PageForm([['which', 'chosen'], ...form.entries()]));
  const status = form.text('status') as 'failed' | 'succeeded' | undefined; // The operation rejects anything else.
  const until = form.text('until');
  return {
    since: toTime(form.text('since') ?? ''),
    ...(until === undefined ? {} : { until: toTime(until) }),
    ...(events.length === 0 ? {} : { events }),
    ...(status === undefined ? {} : { status }),
  };
}

async function show(
  request: PageRequest,
  form: PageForm,
  problem: Problem | null,
  wouldQueue: number | null,
): Promise<PageResult> {
  const endpoint = await request.call('webhooks.get', { params: { id: request.param('id') } });
  const path = endpointPath(endpoint);
  const title = 'Replay events';
  return page({
    ...{ title, section: 'webhooks', status: problem?.status ?? 200 },
    content: html`${pageHeader({
      title,
      lead: `Delivers stored events again, with their original ids and bodies: those that the endpoint receives, from a window of at most ${LIMITS.webhookReplayDays} days.`,
      crumbs: [
        { label: 'Webhooks', href: WEBHOOKS_PATH },
        { label: endpoint.description ?? endpoint.url, href: path },
      ],
    })}${problem === null ? null : problemNotice(problem)}${wouldQueue === null ? null : countNotice(wouldQueue)}
${card('Which events', replayForm(path, form, problem, wouldQueue))}`,
  });
}

function countNotice(wouldQueue: number): Html {
  if (wouldQueue === 0)
    return notice('info', 'No event matches.', 'Nothing would be delivered. Choose another window.');
  return notice(
    'info',
    `${count(wouldQueue)} delivered again.`,
    'Receivers that handled an event before see its id again. Nothing is queued yet.',
  );
}

function replayForm(path: string, form: PageForm, problem: Problem | null, wouldQueue: number | null): Html {
  const fault = (name: string) => faultOf(problem?.errors, name);
  const isCounted = wouldQueue !== null && wouldQueue > 0;
  const final = isCounted
    ? button(`Replay ${wouldQueue.toLocaleString('en-US')} ${wouldQueue === 1 ? 'event' : 'events'}`, {
        kind: 'primary',
        name: 'action',
        value: 'replay',
      })
    : null;
  return html`<form class="form" method="post" action="${path}/replay"><div class="pair">
${textField({ name: 'since', label: 'From (UTC)', type: 'datetime-local', value: form.get('since'), isRequired: true, fault: fault('since') })}
${textField({ name: 'until', label: 'To (UTC)', type: 'datetime-local', value: form.get('until'), fault: fault('until'), hint: 'Empty: until now.' })}</div>
${select({ name: 'status', label: 'Which', value: form.get('status') ?? '', options: STATUSES, fault: fault('status') })}
<fieldset><legend>Only these events (none ticked: all)</legend><div class="event-groups">${eventBoxes(form)}</div></fieldset>
<div class="actions">${final}${button(isCounted ? 'Count again' : 'Count the events', { kind: isCounted ? 'ordinary' : 'primary', name: 'action', value: 'count' })}${linkButton('Back', path, { kind: 'plain' })}</div></form>`;
}

function count(events: number): string {
  return events === 1 ? '1 event is' : `${events.toLocaleString('en-US')} events are`;
}

function withUntil(form: PageForm, now: Date): PageForm {
  const rest = form.entries().filter(([name]) => name !== 'until');
  // The field has whole minutes: the next one includes what happened in this one.
  return new PageForm([...rest, ['until', toField(new Date(now.getTime() + 60_000))]]);
}

/** A time as a field for date and time has it. */
function toField(at: Date): string {
  return at.toISOString().slice(0, 16);
}

/** The field has no offset; the page says that it is UTC. Anything else is passed on, so that the operation says what is wrong with it. */
function toTime(field: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(field)
    ? `${field.length === 16 ? `${field}:00` : field}Z`
    : field;
}
