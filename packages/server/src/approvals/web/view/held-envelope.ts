import { type Approval, REASON_SENTENCES } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { facts } from '../../../ui/components/facts.ts';
import { revealed } from '../../../ui/components/revealed-text.ts';
import { time } from '../../../ui/components/time.ts';
import { timeToDecide } from './hold-times.ts';
import type { HeldView } from './shown-hold.ts';

/** Who asks, why a person must decide, and until when. */
export function senderCard({ approval, now }: HeldView): Html {
  const { reasons, status, expiresAt, createdAt } = approval;
  const until =
    status === 'pending'
      ? html`<p>It expires <b>${timeToDecide(expiresAt, now)}</b>, on ${time(expiresAt)}. Nothing has been sent.</p>`
      : null;
  return html`<section class="card ask"><header><h2>Why it needs approval</h2></header><div class="body"><ul class="bullets">${reasons.map((reason) => html`<li>${REASON_SENTENCES[reason]}</li>`)}</ul>
<p>Requested by ${senderOf(approval)} on ${time(createdAt)}.</p>${until}</div></section>`;
}

/** `Support bot, with the key Invoices` */
export function senderOf({ agentName, keyName }: Pick<Approval, 'agentName' | 'keyName'>): Html {
  const key = keyName === null ? html`a key that was deleted` : html`the key <b>${revealed(keyName)}</b>`;
  return agentName === null ? key : html`<b>${revealed(agentName)}</b>, with ${key},`;
}

/** The lines above a message: who gets it and how. Blind copies are apart, because nobody else sees them. */
export function envelopeOf({ from, replyTo, to, cc, bcc, subject, scheduledAt, headers, unsubscribe }: Approval): Html {
  const rows = facts([
    ['Subject', html`<b>${revealed(subject)}</b>`],
    ['From', revealed(from)],
    ['Reply to', replyTo === null ? null : revealed(replyTo)],
    ['To', to.length === 0 ? null : addresses(to)],
    ['Cc', cc.length === 0 ? null : addresses(cc)],
    ['Send at', scheduledAt === null ? null : time(scheduledAt)],
    ['Unsubscribe', unsubscribe ? 'A one-click unsubscribe link for each recipient is added.' : null],
    ...Object.entries(headers ?? {}).map(([name, value]) => [`Header ${name}`, revealed(value)] as const),
  ]);
  const blind =
    bcc.length === 0
      ? null
      : html`<div class="notice warn" id="bcc"><strong>${bcc.length === 1 ? 'A blind copy' : `${bcc.length} blind copies`}, which the other recipients do not see:</strong><p>${addresses(bcc)}</p></div>`;
  return html`${rows}${blind}`;
}

function addresses(mailboxes: readonly string[]): Html {
  return html`${mailboxes.map((mailbox) => html`<span class="line">${revealed(mailbox)}</span>`)}`;
}
