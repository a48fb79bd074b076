import { Readable } from 'node:stream';
import { newApprovalDecisionSchema } from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readFormOrigin } from '../../auth/client-info.ts';
import { QUIET_HTML } from '../../console/quiet-html.ts';
import { fieldOf } from '../../console/user-pages.ts';
import { type ApprovalLink, findApprovalLink, markLinkUsed } from '../../db/queries/approval-notices.ts';
import { type ApprovalRow, readApproval } from '../../db/queries/approvals.ts';
import { readFileContent, readFileFacts } from '../../db/queries/held-file.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import type { Services } from '../../operations/context.ts';
import { findTextFault } from '../../operations/text-faults.ts';
import type { JobOwner } from '../../threads/thread-pool.ts';
import { readApprovalToken } from '../approval-token.ts';
import { type Decision, decideApproval } from '../decide-approval.ts';
import { serveFile } from '../held-file.ts';
import { toApproval } from '../holds/approval-record.ts';
import { APPROVAL_PAGE } from './approval-page.ts';
import {
  APPROVAL_PAGE_POLICY,
  HELD_BODY_POLICY,
  HELD_FILE_POLICY,
  renderAlreadyDecidedPage,
  renderBusyPage,
  renderDecidedPage,
  renderUndecidedPage,
  renderUnknownApprovalPage,
} from './approval-pages.ts';

const FORM_BYTES = 16_384;

/**
 * The links in mail to approvers. GET shows the whole message and changes nothing, because mail scanners follow links; POST decides, once.
 * The token alone identifies the decider, so no sign-in is needed.
 */
export function addApprovalRoutes(app: FastifyInstance, services: Services): void {
  app.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    pages.get('/approvals/:token', async (request, reply) => await show(request, reply, services));
    pages.get('/approvals/:token/html', async (request, reply) => await showBody(request, reply, services));
    pages.post('/approvals/:token', async (request, reply) => await decide(request, reply, services));
    refuseOtherMethods(pages, '/approvals/:token', ['GET', 'POST']);
    refuseOtherMethods(pages, '/approvals/:token/html', ['GET']);
    pages.get('/approvals/:token/files/:index', async (request, reply) => await showFile(request, reply, services));
    refuseOtherMethods(pages, '/approvals/:token/files/:index', ['GET']);
  });
}

/** A valid link and its hold. */
async function findHold(request: FastifyRequest, services: Services) {
  const { token } = request.params as { readonly token: string }; // The routes have this parameter.
  const tokenHash = readApprovalToken(token);
  const link = tokenHash === null ? null : await findApprovalLink(services.database.sql, tokenHash);
  if (tokenHash === null || link?.isApprover !== true) return null;
  // The token identified the account; from here on, only this account's data is accessible.
  const own = services.forAccount(link.accountId);
  const row = await readApproval(own.database.sql, { accountId: link.accountId, keyId: null, id: link.approvalId });
  return row === null ? null : { token, tokenHash, link, row, own };
}

type FoundHold = NonNullable<Awaited<ReturnType<typeof findHold>>>;

async function show(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<FastifyReply> {
  const found = await findHold(request, services);
  if (found === null) return sendPage(reply.code(404), renderUnknownApprovalPage());
  const { row, token, link } = found;
  const status = row.status === 'pending' && row.expiresAt <= services.database.clock.now() ? 'expired' : row.status;
  if (status !== 'pending') return sendPage(reply.code(410), renderAlreadyDecidedPage(status));
  const shown = { approval: toApproval(row), token, now: services.database.clock.now().toISOString() };
  const page = await services.threads.run(ownerOf(row, link), APPROVAL_PAGE, shown, sizeOf(row));
  return page.kind === 'done' ? sendPage(reply, page.output) : sendPage(reply.code(503), renderBusyPage());
}

async function showBody(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<FastifyReply> {
  const found = await findHold(request, services);
  const shown = found !== null && found.row.status === 'pending' ? found : null;
  const body = shown === null ? null : await readQuietly(shown, services);
  return reply
    .code(shown === null ? 404 : body === null ? 503 : 200)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', HELD_BODY_POLICY)
    .header('x-dns-prefetch-control', 'off')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
    .send(shown !== null && body === null ? renderBusyPage() : body);
}

async function showFile(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<FastifyReply> {
  const found = await findHold(request, services);
  const { index } = request.params as { readonly index: string }; // The route has this parameter.
  if (found === null || found.row.status !== 'pending' || !/^\d{1,2}$/.test(index))
    return sendPage(reply.code(404), renderUnknownApprovalPage());
  const { row, link, own } = found;
  const file = await readFileFacts(own.database.sql, link.accountId, row.emailId, Number(index));
  if (file === null) return sendPage(reply.code(404), renderUnknownApprovalPage());
  const { contentType, disposition } = serveFile(file.filename, file.contentType);
  return reply
    .header('content-type', contentType)
    .header('content-length', file.size)
    .header('content-disposition', disposition)
    .header('content-security-policy', HELD_FILE_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
    .header('cache-control', 'no-store')
    .send(Readable.from(readFileContent(own.database.sql, link.accountId, row.emailId, file)));
}

/** Returns null if the threads are overloaded. */
async function readQuietly({ row, link }: FoundHold, { threads }: Pick<Services, 'threads'>): Promise<string | null> {
  const html = row.html ?? '';
  const quiet = await threads.run(ownerOf(row, link), QUIET_HTML, html, html.length);
  return quiet.kind === 'done' ? quiet.output : null;
}

/** The work counts for the key whose send is held, so that viewing its messages delays no other sender. */
function ownerOf({ keyId }: ApprovalRow, { accountId }: ApprovalLink): JobOwner {
  return { accountId, keyId };
}

function sizeOf({ html, text }: ApprovalRow): number {
  return (html?.length ?? 0) + (text?.length ?? 0);
}

async function decide(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<FastifyReply> {
  const found = await findHold(request, services);
  if (found === null) return sendPage(reply.code(404), renderUnknownApprovalPage());
  const { link, tokenHash, own } = found;
  // Other sites do not know the secret link; a program that knows it may decide with it.
  if (readFormOrigin(request.headers, services.installation.baseUrl) === 'foreign') {
    return sendPage(reply.code(403), renderUndecidedPage('The decision did not come from the page of this link.'));
  }
  const decision = readDecision(request.body, link);
  if (decision === null)
    return sendPage(reply.code(422), renderUndecidedPage('The form was not filled in as it has to be.'));
  const { accountId, approvalId: id } = link;
  const decider = { actor: link.memberId, way: 'mail', address: request.ip, requestId: request.id } as const;
  const { database, installation, threads } = own;
  const verdict = await decideApproval(
    { ...database, ...installation, threads },
    { accountId, id },
    decision,
    decider,
    {
      caller: null,
      onDecided: async (transaction, now) => {
        if (!(await markLinkUsed(transaction, tokenHash, now))) throw new DeadLinkError();
      },
    },
  ).catch((error: unknown) => {
    if (error instanceof DeadLinkError) return null;
    throw error;
  });
  if (verdict === null) return sendPage(reply.code(404), renderUnknownApprovalPage());
  if (verdict.kind === 'already_decided') return sendPage(reply.code(410), renderAlreadyDecidedPage(verdict.status));
  if (verdict.kind !== 'decided') {
    const detail = 'The email has changed since this page was shown.';
    return sendPage(reply.code(409), renderUndecidedPage(detail));
  }
  services.events.waiter.notify([{ id: verdict.emailId, status: verdict.outcome }]);
  if (verdict.outcome === 'queued') services.delivery.wake();
  const row = await readApproval(database.sql, { accountId, keyId: null, id });
  return sendPage(reply, row === null ? renderUnknownApprovalPage() : renderDecidedPage(toApproval(row)));
}

/** Rolls back the decision of a member who lost permission at the same moment. */
class DeadLinkError extends Error {}

/**
 * Parses the form with the schema of every decision; returns null if it is invalid. A form can contain NUL, which PostgreSQL cannot store.
 */
function readDecision(form: unknown, { revision }: ApprovalLink): Decision | null {
  if (findTextFault(form) !== null) return null;
  const decision = fieldOf(form, 'decision');
  const note = fieldOf(form, 'note')?.trim() ?? '';
  const contentHash = fieldOf(form, 'contentHash');
  const rejectCode = decision === 'reject' ? fieldOf(form, 'rejectCode') : null;
  const parsed = newApprovalDecisionSchema.safeParse({
    decision,
    ...(note === '' ? {} : { note }),
    ...(contentHash === null ? {} : { contentHash }),
    ...(rejectCode === null ? {} : { rejectCode }),
  });
  return parsed.success ? { ...parsed.data, revision } : null;
}

function sendPage(reply: FastifyReply, markup: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', APPROVAL_PAGE_POLICY)
    .header('x-dns-prefetch-control', 'off')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
    .send(markup);
}
