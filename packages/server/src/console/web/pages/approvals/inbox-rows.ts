import { type Approval, REASON_SENTENCES } from '@postrider/core';
import type { StrongestFinding } from '../../../../approvals/web/message-findings.ts';
import { timeToDecide } from '../../../../approvals/web/view/hold-times.ts';
import { addressOf } from '../../../../events/without-content.ts';
import { attributes, type Html, html } from '../../../../html/page-markup.ts';
import { badge, statusBadge } from '../../../../ui/components/badge.ts';
import { revealed } from '../../../../ui/components/revealed-text.ts';
import { time } from '../../../../ui/components/time.ts';
import { pathOf } from './paths.ts';

export interface HoldRows {
  readonly approvals: readonly Approval[];
  readonly found: ReadonlyMap<string, StrongestFinding>;
  readonly canTick: boolean;
  /** The ids of holds that were ticked in a form that was refused. */
  readonly ticked: ReadonlySet<string>;
  readonly now: Date;
  readonly caption: string;
}

/** The inbox: each row says who asks for what, why it waits, and what is suspicious about it. The whole row opens the message. */
export function holdTable(rows: HoldRows): Html {
  const tick = rows.canTick ? html`<th scope="col" class="tick"><span class="unseen">Choose</span></th>` : null;
  return html`<table class="table inbox"><caption class="unseen">${rows.caption}</caption><thead class="unseen"><tr>${tick}<th scope="col">Message</th><th scope="col">Why it waits</th><th scope="col">Time</th></tr></thead><tbody>${rows.approvals.map((approval) => row(approval, rows))}</tbody></table>`;
}

function row(approval: Approval, { found, canTick, ticked, now }: HoldRows): Html {
  const { id, subject, contentHash } = approval;
  const title = subject === '' ? 'No subject' : subject;
  const tick = canTick
    ? html`<td class="tick"><label><input type="checkbox" name="hold" value="${id} ${contentHash ?? ''}" data-tick${ticked.has(id) ? html` checked` : null}><span class="unseen">Choose “${title}”</span></label></td>`
    : null;
  return html`<tr id="hold-${id}" data-row data-hold="${id}">${tick}<td class="lead"><a class="row-link cover" href="${pathOf(id)}">${revealed(title)}</a>
<div class="small soft clamp">${asker(approval)} <span aria-hidden="true">→</span><span class="unseen">to</span> ${receivers(approval)}</div>${remark(found.get(id))}</td>
<td class="why small soft">${why(approval)}</td><td class="when small">${when(approval, now)}</td></tr>`;
}

/** A list with every reason of every message would be a wall of text; the page of the message has them all. */
const REASONS_SHOWN = 2;

function why({ reasons }: Approval): Html {
  const more = reasons.length - REASONS_SHOWN;
  const shown = more === 1 ? reasons : reasons.slice(0, REASONS_SHOWN);
  return html`${shown.map((reason) => html`<span class="line">${REASON_SENTENCES[reason]}</span>`)}${more > 1 ? html`<span class="line">And ${more} more reasons.</span>` : null}`;
}

function asker({ agentName, keyName }: Approval): Html {
  const key = keyName === null ? html`a deleted key` : html`key ${revealed(keyName)}`;
  return agentName === null ? html`<b>${key}</b>` : html`<b>${revealed(agentName)}</b>, ${key}`;
}

function receivers({ to, cc, bcc, attachments }: Approval): Html {
  const [first] = to.length > 0 ? to : [...cc, ...bcc];
  const count = to.length + cc.length + bcc.length;
  const more = count > 1 ? html` and ${count - 1} more` : null;
  const blind =
    bcc.length === 0
      ? null
      : html` <span class="tag">${bcc.length === 1 ? 'blind copy' : `${bcc.length} blind copies`}</span>`;
  const files =
    attachments.length === 0
      ? null
      : html` <span class="tag">${attachments.length === 1 ? '1 file' : `${attachments.length} files`}</span>`;
  return html`${revealed(first === undefined ? 'no one' : addressOf(first))}${more}${blind}${files}`;
}

function remark(finding: StrongestFinding | undefined): Html {
  if (finding === undefined) return html``;
  const more = finding.count > 1 ? ` And ${finding.count - 1} more.` : '';
  return html`<div class="remark">${badge(finding.level === 'danger' ? 'Danger' : 'Look', finding.level === 'danger' ? 'bad' : 'warn')} <span class="small">${revealed(finding.message)}${more}</span></div>`;
}

/** Waiting rows say how long there is to decide; the others what became of them. */
function when(approval: Approval, now: Date): Html {
  const { status, expiresAt, decidedAt, createdAt, outcome } = approval;
  if (status === 'pending') {
    const isUrgent = new Date(expiresAt).getTime() - now.getTime() < URGENT_MS;
    return html`<span${attributes({ class: isUrgent ? 'urgent' : null })}>Expires ${timeToDecide(expiresAt, now.toISOString())}</span>${progressOf(approval)}`;
  }
  const failed = outcome === 'failed' ? badge('Could not be sent', 'bad') : statusBadge(status);
  return html`${failed}<br>${time(decidedAt ?? createdAt)}`;
}

/** Where several people must approve: how many have. */
function progressOf({ approvers: { count }, votes }: Approval): Html | null {
  return count < 2 ? null : html`<br><span class="tag">${votes.length} of ${count} approved</span>`;
}

const URGENT_MS = 6 * 3_600_000;
