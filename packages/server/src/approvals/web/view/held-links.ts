import type { ApprovalReview } from '@postrider/core';
import type { Finding } from '@postrider/review';
import { type Html, html } from '../../../html/page-markup.ts';
import { revealed } from '../../../ui/components/revealed-text.ts';
import { card, notice } from '../../../ui/components/surfaces.ts';
import type { HeldReading, Some } from '../held-reading.ts';

type FoundLink = ApprovalReview['links'][number];

/** More would not be read. */
const SHOWN_FINDINGS = 20;

/** What deceives the readers of the message, the dangerous first; remarks that are ordinary are folded. */
export function findingNotices(review: ApprovalReview | null): Html {
  if (review === null) return UNREAD;
  const findings = withoutRepetitions(review.findings);
  const urgent = urgentOf(findings);
  const rest = findings.filter((finding) => !urgent.includes(finding));
  if (findings.length === 0) return html``;
  const folded =
    rest.length === 0
      ? null
      : html`<details class="more"><summary>${rest.length === 1 ? '1 more remark' : `${rest.length} more remarks`}</summary><ul class="bullets">${rest.map(finding)}</ul></details>`;
  if (urgent.length === 0) return html`<div id="findings">${folded}</div>`;
  return html`<div class="notice ${toneOf(urgent)}" role="alert" id="findings"><strong>${titleOf(urgent)}</strong>
<ul class="findings">${urgent.map(finding)}</ul>${folded}</div>`;
}

/** On a phone the message is first. What is suspicious about it is announced above it, and leads to the findings below. */
export function findingsAhead(review: ApprovalReview | null): Html {
  const urgent = urgentOf(withoutRepetitions(review?.findings ?? []));
  if (urgent.length === 0) return html``;
  const count = urgent.length === 1 ? '1 warning' : `${urgent.length} warnings`;
  return html`<a class="to-findings notice ${toneOf(urgent)}" href="#findings"><strong>${titleOf(urgent)}</strong><span class="small">Read ${count}</span></a>`;
}

function urgentOf(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ level }) => level !== 'note').slice(0, SHOWN_FINDINGS);
}

function isDangerous(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === 'danger');
}

function toneOf(urgent: readonly Finding[]): 'bad' | 'warn' {
  return isDangerous(urgent) ? 'bad' : 'warn';
}

function titleOf(urgent: readonly Finding[]): string {
  return isDangerous(urgent) ? 'This message may deceive its readers' : 'Review this before you decide';
}

/** An approver may still decide, and must know that nothing was checked. */
const UNREAD = notice(
  'warn',
  'This message was not checked for deceptive links',
  'It is too large, or the server is busy. Reload the page, or read the message carefully.',
);

/** The text of most messages is made from their HTML and has the same links, with their addresses. */
function withoutRepetitions(findings: readonly Finding[]): readonly Finding[] {
  const inHtml = new Set(findings.filter(({ place }) => place === 'html').map(subjectOf));
  return findings.filter((finding) => finding.place !== 'text' || !inHtml.has(subjectOf(finding)));
}

function subjectOf({ kind, target, message }: Finding): string {
  return JSON.stringify([kind, target, message]);
}

function finding({ message, text, target, level }: Finding): Html {
  const reads = text === '' ? null : html`<div><dt>Text</dt><dd>“${revealed(text)}”</dd></div>`;
  const opens =
    target === null
      ? null
      : html`<div><dt>${text === '' ? 'Address' : 'Opens'}</dt><dd class="mono">${revealed(target)}</dd></div>`;
  return html`<li class="${level}"><b>${message}</b>${reads === null && opens === null ? null : html`<dl>${reads}${opens}</dl>`}</li>`;
}

/** Whether the whole message was read. */
export function isFullyChecked(review: ApprovalReview | null): boolean {
  return review?.findings.every(({ kind }) => kind !== 'not-checked') ?? false;
}

/** Every place that the message leads to. */
export function linkCard({ review, places }: HeldReading): Html {
  const links = { items: review?.links ?? [], count: review?.linkCount ?? 0 };
  return card('Links', html`${placeList(places, isFullyChecked(review))}${linkList(links)}`);
}

function placeList(places: HeldReading['places'], isChecked: boolean): Html {
  if (places === null)
    return html`<p class="soft">It is too large to list where its links lead. Check the links in the message itself.</p>`;
  if (places.count === 0 && !isChecked)
    return html`<p class="soft">It was not checked completely, so it may have links. Check the message itself.</p>`;
  if (places.count === 0) return html`<p class="soft">It has no links or other addresses.</p>`;
  const items = places.items.map((place) => html`<li class="tag mono">${revealed(place)}</li>`);
  return html`<p class="soft">Sites and addresses that it opens, loads or names:</p><ul id="places" class="places">${items}</ul>${rest(places)}`;
}

function linkList(links: Some<FoundLink>): Html {
  if (links.count === 0) return html``;
  const title = links.count === 1 ? 'Show the link' : `Show all ${links.count.toLocaleString('en-US')} links`;
  return html`<details class="more"><summary>${title}</summary><ul class="plain">${links.items.map(link)}</ul>${rest(links)}</details>`;
}

function rest({ items, count }: { readonly items: readonly unknown[]; readonly count: number }): Html {
  const more = count - items.length;
  return more > 0 ? html`<p class="small faint">And ${more.toLocaleString('en-US')} more.</p>` : html``;
}

function link({ text, target }: FoundLink): Html {
  return html`<li>${text === '' ? html`<span class="faint">A picture, or no text</span>` : html`“${revealed(text)}”`} <span class="faint">opens</span> <span class="mono">${revealed(target)}</span></li>`;
}
