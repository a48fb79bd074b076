import type { findOperation, OperationOutput } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { statusBadge } from '../../../ui/components/badge.ts';
import { linkButton } from '../../../ui/components/button.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, notice, tabs } from '../../../ui/components/surfaces.ts';
import { tile } from '../../../ui/components/tile.ts';
import { time } from '../../../ui/components/time.ts';
import { type PageResult, type PageRoute, page } from '../console-page.ts';
import { withQuery } from '../page-address.ts';
import type { PageRequest } from '../page-request.ts';
import {
  breakdownCard,
  COMPARE_QUERY,
  engagementCard,
  failureCard,
  type Stats,
  volumeCard,
} from './overview-charts.ts';
import { checklistCard } from './overview-checklist.ts';

const PATH = '/console';
const WINDOWS = ['7d', '14d', '30d', '90d'] as const;

export const OVERVIEW_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: null, query: { window: 'text', ...COMPARE_QUERY }, run: show },
];

type Account = OperationOutput<ReturnType<typeof findOperation<'account.get'>>>;

async function show(request: PageRequest): Promise<PageResult> {
  const window = request.query.text('window') ?? '14d';
  const [account, stats, volume, checklist] = await Promise.all([
    request.call('account.get'),
    request.call('account.stats', { query: { window, engagement: 'true', bounces: 'true' } }),
    request.call('account.volume', { query: { window } }),
    request.call('account.checklist'),
  ]);
  const windows = WINDOWS.map((one) => ({
    label: `${Number.parseInt(one, 10)} days`,
    href: withQuery(PATH, { window: one, by: request.query.text('by') }),
    isCurrent: one === window,
  }));
  return page({
    ...{ title: 'Overview', section: 'overview', watch: ['messages'] },
    content: html`${pageHeader({ title: account.name, lead: html`The last ${Number.parseInt(window, 10)} days, by UTC day. <span class="live">Live</span>` })}
${warnings(account)}${checklistCard(checklist, account)}${tabs('Window', windows)}${tiles(stats, window)}
<div class="halves">${volumeCard(volume)}${failureCard(volume, stats)}</div>
<div class="halves">${engagementCard(volume, stats)}${quotaCard(account)}</div>
${await breakdownCard(request, window)}`,
  });
}

function warnings({ pausedAt, deletionScheduledAt, reputationLevel }: Account): Html {
  return html`${pausedAt === null ? null : notice('warn', html`Sending has been paused since ${time(pausedAt)}.`, html`Every send is refused until an owner or admin resumes it in <a href="/console/settings">Settings</a>.`)}
${deletionScheduledAt === null ? null : notice('bad', html`This account will be deleted on ${time(deletionScheduledAt)}.`, html`An owner can cancel this in <a href="/console/settings">Settings</a>.`)}
${reputationLevel === 'good' ? null : notice(reputationLevel === 'watch' ? 'warn' : 'bad', REPUTATION[reputationLevel], html`Check the <a href="/console/messages?status=bounced">bounced messages</a> and stop sending to addresses that do not exist.`)}`;
}

const REPUTATION: Readonly<Record<'watch' | 'at_risk' | 'suspended', string>> = {
  watch: 'More mail bounces or is reported as spam than usual.',
  at_risk: 'So much mail bounces or is reported as spam that sending may soon be suspended.',
  suspended: 'Sending is suspended, because too much mail bounced or was reported as spam.',
};

function tiles(
  { sent, delivered, bounced, complained, deliveryRate, bounceRate, complaintRate, opens, clicks }: Stats,
  window: string,
): Html {
  const since = withQuery('/console/messages', {});
  const list = (status: string) => withQuery('/console/messages', { status });
  return html`<div class="tiles" data-window="${window}">
${tile({ label: 'Sent', value: sent.toLocaleString('en-US'), href: since })}
${tile({ label: 'Delivered', value: percent(deliveryRate), detail: delivered.toLocaleString('en-US'), href: list('delivered') })}
${tile({ label: 'Bounced', value: percent(bounceRate), detail: bounced.toLocaleString('en-US'), href: list('bounced') })}
${tile({ label: 'Complaints', value: percent(complaintRate), detail: complained.toLocaleString('en-US'), href: list('complained') })}
${tile({ label: 'Opened', value: opens === undefined ? 'Off' : percent(opens.openRate), detail: opens === undefined ? 'not measured' : `of ${opens.tracked.toLocaleString('en-US')} tracked` })}
${tile({ label: 'Clicked', value: clicks === undefined ? 'Off' : percent(clicks.clickRate), detail: clicks === undefined ? 'not measured' : `of ${clicks.tracked.toLocaleString('en-US')} tracked` })}</div>`;
}

function percent(rate: number): string {
  return `${rate.toFixed(2)} %`;
}

function quotaCard({ monthlyUsed, monthlyQuota, quotaResetsAt, reputationLevel, domains, seats }: Account): Html {
  const share = monthlyQuota === 0 ? 0 : Math.min(100, (100 * monthlyUsed) / monthlyQuota);
  return card(
    'Quota and reputation',
    html`<div class="stack-tight"><div class="row"><span class="strong">${monthlyUsed.toLocaleString('en-US')} of ${monthlyQuota.toLocaleString('en-US')} recipients this month</span><span class="end faint">${share.toFixed(1)} %</span></div>
<meter min="0" max="${monthlyQuota}" low="${monthlyQuota * 0.8}" high="${monthlyQuota * 0.95}" optimum="0" value="${monthlyUsed}" aria-label="Monthly quota">${share.toFixed(1)} %</meter><p class="small faint">The quota resets on ${time(quotaResetsAt, 'day')}.</p></div>
<div class="row"><span>Reputation</span>${statusBadge(reputationLevel)}<span class="end faint">${domains.used} of ${domains.limit} domains, ${seats.used} of ${seats.limit} seats</span></div>`,
    { actions: linkButton('Settings', '/console/settings', { isSmall: true }) },
  );
}
