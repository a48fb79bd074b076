import type { CallableId, Scope } from '@postrider/core';
import { attributes, type Html, html } from '../../html/page-markup.ts';
import { BRAND_MARK, type IconName, icon } from '../../ui/icons.ts';
import { renderDocument } from '../../ui/page-document.ts';
import type { PageContent, Section } from './console-page.ts';
import type { PageRequest } from './page-request.ts';

interface Place {
  readonly section: Section;
  readonly label: string;
  readonly href: string;
  readonly icon: IconName;
  /** The operation that a role must be allowed to call to see the place. */
  readonly needs: CallableId | null;
  /** The permission that a role must have, for places whose operation every key may call for its own data. */
  readonly scope?: Scope;
  readonly isForDevelopment?: boolean;
}

const GROUPS: readonly { readonly label: string | null; readonly places: readonly Place[] }[] = [
  {
    label: null,
    places: [
      { section: 'overview', label: 'Overview', href: '/console', icon: 'overview', needs: null },
      {
        section: 'approvals',
        label: 'Approvals',
        href: '/console/approvals',
        icon: 'approvals',
        needs: 'approvals.list',
        scope: 'approvals:read',
      },
      { section: 'messages', label: 'Messages', href: '/console/messages', icon: 'messages', needs: 'emails.list' },
      {
        ...{ section: 'mailbox', label: 'Captured mail', href: '/console/mailbox', icon: 'mailbox' },
        ...{ needs: null, isForDevelopment: true },
      },
    ],
  },
  {
    label: 'Configure',
    places: [
      { section: 'domains', label: 'Domains', href: '/console/domains', icon: 'domains', needs: 'domains.list' },
      {
        section: 'templates',
        label: 'Templates',
        href: '/console/templates',
        icon: 'templates',
        needs: 'templates.list',
      },
      {
        section: 'suppressions',
        label: 'Suppressions',
        href: '/console/suppressions',
        icon: 'suppressions',
        needs: 'suppressions.list',
      },
      { section: 'webhooks', label: 'Webhooks', href: '/console/webhooks', icon: 'webhooks', needs: 'webhooks.list' },
      { section: 'keys', label: 'API keys', href: '/console/keys', icon: 'keys', needs: 'keys.list' },
    ],
  },
  {
    label: 'Account',
    places: [
      { section: 'team', label: 'Team', href: '/console/team', icon: 'team', needs: 'team.list' },
      { section: 'audit', label: 'Audit log', href: '/console/audit', icon: 'audit', needs: 'audit.list' },
      { section: 'requests', label: 'Requests', href: '/console/requests', icon: 'requests', needs: 'requests.list' },
      { section: 'tickets', label: 'Support', href: '/console/tickets', icon: 'tickets', needs: 'tickets.list' },
      { section: 'settings', label: 'Settings', href: '/console/settings', icon: 'settings', needs: null },
    ],
  },
];

export interface ConsoleFrame {
  /** Undecided holds, for the number beside "Approvals"; null if the role may not see them. */
  readonly pendingApprovals: number | null;
  /** What was done on the page before; null if nothing was. */
  readonly notice: string | null;
}

/** A page of the console: the navigation and the content. */
export function renderConsolePage(request: PageRequest, page: PageContent, frame: ConsoleFrame): string {
  const watch = (page.watch ?? []).join(',');
  const body = html`<a class="skip" href="#content">Skip to the content</a>
<div class="console" data-watch="${watch}"><header class="side">${brand()}${navigation(request, page, frame)}${who(request)}</header>
<header class="top">${brand()}<details class="menu"><summary>${icon('menu')}Menu</summary><div>${navigation(request, page, frame)}${who(request)}</div></details></header>
<main class="page" id="content" tabindex="-1"><div class="inner">${frame.notice === null ? null : html`<div class="notice good" role="status" data-passing>${frame.notice}</div>`}${page.content}</div></main></div>
<div class="toasts" id="toasts" role="status" aria-live="polite"></div>`;
  return renderDocument({ title: page.title, body });
}

function brand(): Html {
  return html`<a class="brand" href="/console">${BRAND_MARK}<span>Postrider</span></a>`;
}

function navigation(request: PageRequest, { section }: PageContent, { pendingApprovals }: ConsoleFrame): Html {
  const groups = GROUPS.map(({ label, places }) => {
    const shown = places.filter((place) => isShown(request, place));
    if (shown.length === 0) return html``;
    const items = shown.map((place) => {
      const isApprovals = place.section === 'approvals' && (pendingApprovals ?? 0) > 0;
      const count = isApprovals
        ? html`<span class="count" data-live="count"><span class="unseen">waiting: </span>${shortCount(pendingApprovals ?? 0)}</span>`
        : null;
      const current = { 'aria-current': place.section === section ? 'page' : null };
      return html`<li><a class="nav-link" href="${place.href}"${attributes(current)}>${icon(place.icon)}<span>${place.label}</span>${count}</a></li>`;
    });
    return html`<div class="group">${label === null ? null : html`<span>${label}</span>`}<ul>${items}</ul></div>`;
  });
  return html`<nav aria-label="Console">${groups}</nav>`;
}

function isShown(request: PageRequest, { needs, scope, isForDevelopment }: Place): boolean {
  if (scope !== undefined && !request.caller.scopes.includes(scope)) return false;
  if (isForDevelopment === true && request.mode !== 'development') return false;
  return needs === null || request.may(needs);
}

function shortCount(count: number): string {
  return count > 99 ? '99+' : String(count);
}

function who({ caller: { user, accountName } }: PageRequest): Html {
  return html`<div class="who"><span><b>${accountName}</b><br><span class="faint">${user.email}, ${user.role}</span></span>
<form method="post" action="/auth/sign-out"><button class="plain small" type="submit">Sign out</button></form></div>`;
}
