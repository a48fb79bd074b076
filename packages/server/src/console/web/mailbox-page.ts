import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../html/page-markup.ts';
import { pageHeader } from '../../ui/components/page-header.ts';
import { renderSinglePage } from '../../ui/single-page.ts';
import { page } from './console-page.ts';
import type { PageRequest } from './page-request.ts';
import { sendConsolePage, sendMarkup } from './send-console-page.ts';

export const MAILBOX_PATH = '/console/mailbox';

/** A page of the mailbox, with or without the frame of the console. */
export interface MailboxPage {
  readonly title: string;
  readonly lead: string | null;
  readonly crumbs: readonly { readonly label: string; readonly href: string }[];
  readonly actions: Html | null;
  readonly content: Html;
  readonly status?: number;
}

/** Shows it in the console to users, and by itself before the sign-in, because the mail for the sign-in is read here. */
export async function sendMailboxPage(
  shown: MailboxPage,
  signedIn: PageRequest | null,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { title, lead, crumbs, actions, content, status = 200 } = shown;
  if (signedIn !== null) {
    const header = pageHeader({ title, lead, crumbs, actions });
    const frame = { title, section: 'mailbox', status, watch: ['mailbox'] } as const;
    return await sendConsolePage(page({ ...frame, content: html`${header}${content}` }), signedIn, reply);
  }
  const path = crumbs.map(({ label, href }) => html`<a href="${href}">${label}</a>`);
  const above = html`${path.length === 0 ? null : html`<nav class="crumbs" aria-label="Breadcrumb">${path}</nav>`}
${lead === null ? null : html`<p class="soft">${lead}</p>`}${actions === null ? null : html`<div class="actions">${actions}</div>`}`;
  const markup = renderSinglePage(title, html`${above}${content}`, { isWide: true, hasScript: true });
  return await sendMarkup(reply.code(status), markup);
}
