import { type Html, html } from '../../../html/page-markup.ts';
import { acceptanceForecast } from './acceptance-forecast.ts';
import { decisionBar, decisionCard } from './decision-forms.ts';
import { heldBody } from './held-body.ts';
import { envelopeOf, senderCard } from './held-envelope.ts';
import { heldFiles } from './held-files.ts';
import { findingNotices, findingsAhead, linkCard } from './held-links.ts';
import type { HeldView } from './shown-hold.ts';
import { canApprove, votingNotice } from './voting-words.ts';

/** A held message as its recipients will see it, with everything that an approver needs to know, and the decision. */
export function heldView(view: HeldView): Html {
  const { approval, reading } = view;
  const isOpen = view.mayDecide && approval.status === 'pending';
  return html`${isOpen ? votingNotice(view) : null}<div class="held" data-hold="${approval.id}">${findingsAhead(reading.review)}<div class="held-main">${findingNotices(reading.review)}${acceptanceForecast(view.forecast)}
<section class="card message"><header><h2>The message</h2></header><div class="body">${envelopeOf(approval)}${heldBody(view)}</div></section>
${heldFiles({ ...view, attachments: approval.attachments })}${linkCard(reading)}</div>
<div class="held-side">${senderCard(view)}${isOpen && canApprove(view) ? decisionCard(view) : null}</div>
${isOpen ? decisionBar(view) : null}</div>`;
}
