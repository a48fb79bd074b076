import { CLASSIFICATIONS, type Message, type MessageEventType, REASON_SENTENCES } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { type Tone, toneOf } from '../../../../ui/components/badge.ts';
import { foreignText, quotation } from '../../../../ui/components/foreign-text.ts';
import { type Moment, timeline } from '../../../../ui/components/timeline.ts';

type MessageEvent = Message['events'][number];

/** Of a message to many recipients that was tried for days; the page has the newest, and a link to all. */
const EVENTS_SHOWN = 100;
const RECIPIENTS_SHOWN = 5;

/** The events of a message in words, oldest first. Events that say the same of several recipients are one entry. */
export function eventTimeline(events: readonly MessageEvent[], options: { readonly allHref: string | null }): Html {
  const groups = groupEvents(events);
  const hidden = options.allHref === null ? 0 : Math.max(0, groups.length - EVENTS_SHOWN);
  const moments = groups.slice(hidden).map(toMoment);
  const more = hidden === 0 ? null : html`<p><a href="${options.allHref ?? ''}">Show ${hidden} earlier entries</a></p>`;
  return html`${more}${timeline(moments)}`;
}

interface EventGroup extends MessageEvent {
  readonly recipients: string[];
}

/** Only events of one instant are joined, so that the order stays true. */
function groupEvents(events: readonly MessageEvent[]): readonly EventGroup[] {
  const groups: EventGroup[] = [];
  for (const event of events) {
    const { recipient } = event;
    const same = recipient === null ? undefined : groups.findLast((group) => isSame(group, event));
    if (recipient !== null && same !== undefined) same.recipients.push(recipient);
    else groups.push({ ...event, recipients: recipient === null ? [] : [recipient] });
  }
  return groups;
}

function isSame(group: EventGroup, event: MessageEvent): boolean {
  const { type, classification, detail, createdAt } = group;
  const isOfInstant = createdAt === event.createdAt && group.recipient !== null;
  return isOfInstant && type === event.type && classification === event.classification && detail === event.detail;
}

function toMoment({ id, type, createdAt, classification, detail, recipients }: EventGroup): Moment {
  const { title, text } = EVENT_WORDS[type];
  const sentence = classification === null ? text : CLASSIFICATIONS[classification];
  const shown = recipients
    .slice(0, RECIPIENTS_SHOWN)
    .map((email) => html`<span class="line">${foreignText(email)}</span>`);
  const rest = recipients.slice(RECIPIENTS_SHOWN);
  const others =
    rest.length === 0
      ? null
      : html`<details class="more"><summary>and ${rest.length} more</summary>${rest.map((email) => html`<span class="line">${foreignText(email)}</span>`)}</details>`;
  return {
    ...{ id: `event-${id}`, at: createdAt, tone: TONES[type] ?? toneOf(type), title },
    body: html`<p class="soft">${sentence}</p>${shown.length === 0 ? null : html`<div class="lines">${shown}${others}</div>`}${detailOf(type, detail)}`,
  };
}

/** What a server said is quoted. Why a message was held is a list of codes, which have sentences. */
function detailOf(type: MessageEventType, detail: string | null): Html | null {
  if (detail === null) return null;
  const sentences: Readonly<Record<string, string>> = REASON_SENTENCES;
  const reasons = type === 'pending_approval' ? detail.split(', ').map((code) => sentences[code]) : [];
  if (reasons.length === 0 || reasons.includes(undefined)) return quotation(detail);
  return html`<ul class="bullets small">${reasons.map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
}

const TONES: Partial<Readonly<Record<MessageEventType, Tone>>> = {
  unsubscribed: 'warn',
  expired: 'warn',
  canceled: 'neutral',
};

const EVENT_WORDS: Readonly<Record<MessageEventType, { readonly title: string; readonly text: string }>> = {
  queued: { title: 'Accepted', text: 'It is waiting for delivery.' },
  pending_approval: { title: 'Held for approval', text: 'Nothing is sent until an approver decides.' },
  approved: { title: 'Approved', text: 'An approver allowed it to be sent.' },
  rejected: { title: 'Rejected', text: 'An approver decided not to send it.' },
  scheduled: { title: 'Scheduled', text: 'It is waiting for its scheduled time.' },
  rescheduled: { title: 'Rescheduled', text: 'Its scheduled time was changed.' },
  sent: { title: 'Sent', text: 'A mail server took responsibility for it.' },
  delivered: { title: 'Delivered', text: 'The recipient’s mail server accepted it.' },
  deferred: { title: 'Delayed', text: 'An attempt failed temporarily. Postrider will try again.' },
  bounced: { title: 'Bounced', text: 'Delivery failed permanently.' },
  complained: { title: 'Reported as spam', text: 'The recipient reported it as spam.' },
  opened: { title: 'Opened', text: 'The tracking image was fetched, by the reader or by a program.' },
  clicked: { title: 'Link followed', text: 'A link in it was followed.' },
  failed: { title: 'Failed', text: 'It could not be delivered because of an internal error.' },
  suppressed: { title: 'Suppressed', text: 'The recipient is on the suppression list, so nothing was sent.' },
  canceled: { title: 'Canceled', text: 'It was canceled before delivery.' },
  expired: { title: 'Expired', text: 'No one decided in time, so it is not sent.' },
  unsubscribed: { title: 'Unsubscribed', text: 'The recipient used the link to unsubscribe.' },
};
