import { describeEventType, WEBHOOK_EVENT_NAMES, type WebhookEventType } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { checkbox, radio, type SelectOption } from '../../../../ui/components/field.ts';
import type { PageForm } from '../../page-form.ts';

const GROUPS: readonly { readonly label: string; readonly prefixes: readonly string[] }[] = [
  { label: 'Messages', prefixes: ['email'] },
  { label: 'Approvals', prefixes: ['approval'] },
  { label: 'Domains', prefixes: ['domain'] },
  { label: 'Suppressions', prefixes: ['suppression'] },
  { label: 'Account', prefixes: ['quota', 'key', 'webhook'] },
];

/** All events, or those that are ticked, in groups. */
export function eventChoice(form: PageForm, fault: string | null): Html {
  const isChosen = form.get('which') === 'chosen';
  return html`<fieldset${fault === null ? null : html` aria-describedby="events-fault"`}><legend>Events</legend>
${radio({ name: 'which', value: 'all', label: 'All events', hint: 'Including kinds that are added later.', isChecked: !isChosen })}
${radio({ name: 'which', value: 'chosen', label: 'Only these', isChecked: isChosen })}${fault === null ? null : html`<span class="fault" id="events-fault" role="alert">${fault}</span>`}
<div class="event-groups">${eventBoxes(form)}</div></fieldset>`;
}

/** A box for each type, by group. */
export function eventBoxes(form: PageForm): Html {
  const ticked = new Set(form.all('events'));
  const groups = GROUPS.map(({ label, prefixes }) => {
    const boxes = WEBHOOK_EVENT_NAMES.filter((type) => prefixes.includes(type.split('.')[0] ?? '')).map((type) =>
      checkbox({
        name: 'events',
        value: type,
        label: eventWords(type),
        hint: describeEventType(type),
        isChecked: ticked.has(type),
      }),
    );
    return html`<details class="more"${boxes.length > 0 && prefixes.some((prefix) => [...ticked].some((type) => type.startsWith(`${prefix}.`))) ? html` open` : null}><summary>${label}</summary><div class="stack-tight">${boxes}</div></details>`;
  });
  return html`${groups}`;
}

/** The types as the form names them. What is no type is passed on, so that the operation says so. */
export function chosenEvents(form: PageForm): WebhookEventType[] {
  return form.get('which') === 'chosen' ? ([...form.all('events')] as WebhookEventType[]) : []; // The operation checks them.
}

export const EVENT_OPTIONS: readonly SelectOption[] = WEBHOOK_EVENT_NAMES.map((type) => ({
  value: type,
  label: eventWords(type),
}));

/** `email.pending_approval` reads "Email pending approval". */
export function eventWords(type: string): string {
  const words = type.replaceAll('.', ' ').replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
