import type { FastifyReply } from 'fastify';
import { compressedPage } from '../../ui/compressed-page.ts';
import { PAGE_POLICY } from '../../ui/page-document.ts';
import { renderConsolePage } from './console-layout.ts';
import type { PageContent } from './console-page.ts';
import { clearNotice, readNotice } from './notice-cookie.ts';
import type { PageRequest } from './page-request.ts';

/** Sends a page of a signed-in user, with the navigation and what was done before. */
export async function sendConsolePage(
  content: PageContent,
  page: PageRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const notice = readNotice(page.cookie(page.services.auth.cookies.notice), page.services.auth);
  if (notice !== null) clearNotice(reply, page.services.auth);
  const pendingApprovals = page.may('approvals.list') ? await countPending(page) : null;
  return await sendMarkup(
    reply.code(content.status ?? 200),
    renderConsolePage(page, content, { pendingApprovals, notice }),
  );
}

/** A whole page of this server: its scripts and styles, and nothing of other servers. */
export async function sendMarkup(reply: FastifyReply, markup: string): Promise<FastifyReply> {
  const body = await compressedPage(reply, markup);
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY)
    .header('referrer-policy', 'same-origin')
    .header('x-dns-prefetch-control', 'off')
    .header('x-robots-tag', 'noindex')
    .send(body);
}

async function countPending(page: PageRequest): Promise<number | null> {
  const held = await page.attempt('approvals.list', { query: { status: 'pending', content: 'false', limit: '1' } });
  return held.ok ? held.body.total : null;
}
