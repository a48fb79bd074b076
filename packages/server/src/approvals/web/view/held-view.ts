import type { Approval } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import type { HeldReading } from '../held-reading.ts';
import { acceptanceForecast, type Forecast } from './acceptance-forecast.ts';
import { decisionBar, decisionCard } from './decision-forms.ts';
import { heldBody } from './held-body.ts';
import { envelopeOf, senderCard } from './held-envelope.ts';
import { heldFiles } from './held-files.ts';
import { findingNotices, linkCard } from './held-links.ts';

export interface HeldView {
  readonly approval: Approval;
  /** The address of the page, under which its frame, files and forms are: `/console/approvals/…` or the link in a mail. */
  readonly base: string;
  readonly reading: HeldReading;
  readonly now: string;
  readonly mayDecide: boolean;
  /** Whether the decision can trust the recipients from now on. */
  readonly mayRemember: boolean;
  /** Whether the frame loads pictures from other servers. */
  readonly loadsPictures: boolean;
  readonly forecast: Forecast;
  /** The beginnings of attached texts, by the index of the file. */
  readonly excerpts: Readonly<Record<number, Excerpt>>;
  /** The page after a decision; null to stay. */
  readonly next: string | null;
}

export interface Excerpt {
  readonly text: string;
  readonly isCut: boolean;
}

/** A held message as its recipients will see it, with everything that an approver needs to know, and the decision. */
export function heldView(view: HeldView): Html {
  const { approval, reading } = view;
  const isOpen = view.mayDecide && approval.status === 'pending';
  return html`<div class="held" data-hold="${approval.id}"><div class="held-main">${findingNotices(reading.review)}${acceptanceForecast(view.forecast)}
<section class="card"><header><h2>The message</h2></header><div class="body">${envelopeOf(approval)}${heldBody(view)}</div></section>
${heldFiles(view)}${linkCard(reading)}</div>
<div class="held-side">${senderCard(view)}${isOpen ? decisionCard(view) : null}</div>
${isOpen ? decisionBar(view) : null}</div>`;
}
