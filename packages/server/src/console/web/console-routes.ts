import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readClientInfo } from '../../auth/client-info.ts';
import { foreignOrigin } from '../../auth/foreign-origin.ts';
import { ConfirmationNeeded } from '../../auth/passkeys/confirmation.ts';
import { html } from '../../html/page-markup.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import { rateLimited } from '../../http/rate-headers.ts';
import type { KeyRates } from '../../keys/key-rates.ts';
import type { Services } from '../../operations/context.ts';
import { findTextFault } from '../../operations/text-faults.ts';
import { ProblemError, problemHeaders } from '../../problem.ts';
import { pageHeader } from '../../ui/components/page-header.ts';
import { confirmPage } from './confirm-page.ts';
import { type PageResult, type PageRoute, page as pageOf } from './console-page.ts';
import { problemPage, renderEndedSession } from './console-problems.ts';
import { setNotice } from './notice-cookie.ts';
import { openPage } from './open-page.ts';
import { PageForm } from './page-form.ts';
import { findQueryFaults, QUERY_FAULTS_TITLE, type QueryFaults, queryFaultsNotice } from './page-query.ts';
import type { PageRequest } from './page-request.ts';
import { refusedForRole } from './role-refusal.ts';
import { sendConsolePage, sendMarkup } from './send-console-page.ts';

export interface ConsoleOptions {
  readonly services: Services;
  readonly rates: KeyRates;
  readonly routes: readonly PageRoute[];
}

const FORM_BYTES = 65_536;

/** The pages of the console: for signed-in users, by the operations that their role allows. Every change is a form of this server. */
export function addConsoleRoutes(app: FastifyInstance, options: ConsoleOptions): void {
  app.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, new PageForm(new URLSearchParams(String(body)))),
    );
    const methods = new Map<string, string[]>();
    for (const route of options.routes) {
      const { method, path, formBytes = FORM_BYTES } = route;
      pages.route({
        ...{ method, url: path, bodyLimit: formBytes },
        handler: async (request, reply) => await serve(route, request, reply, options),
      });
      methods.set(path, [...(methods.get(path) ?? []), method]);
    }
    for (const [path, served] of methods) refuseOtherMethods(pages, path, served);
  });
}

async function serve(route: PageRoute, request: FastifyRequest, reply: FastifyReply, options: ConsoleOptions) {
  const { services, rates } = options;
  const { auth, installation } = services;
  const clientInfo = readClientInfo(request.headers, request.ip, auth.cookies, installation.baseUrl);
  if (route.method === 'POST' && clientInfo.formOrigin !== 'own')
    throw foreignOrigin(installation.baseUrl, clientInfo.formOrigin);
  const page = await openPage(request, reply, services);
  if (page === null) return await signInFirst(request, reply);
  // Only changes are entries of the account's request log: it shows what was called, not which pages were read.
  if (route.method === 'POST' && route.isRead !== true) request.state.caller = page.caller;
  const result = await runRoute(route, page, rates).catch(async (error: unknown) => {
    if (!(error instanceof ProblemError)) throw error;
    request.state.code = error.code;
    if (error instanceof ConfirmationNeeded && error.statement !== null) {
      return await confirmPage(page, error.statement, error);
    }
    for (const [name, value] of Object.entries(problemHeaders(error))) reply.header(name, value);
    return problemPage(page, error);
  });
  return await respond(result, page, reply);
}

async function runRoute(route: PageRoute, page: PageRequest, rates: KeyRates): Promise<PageResult> {
  const verdict = await rates.take(page.caller);
  if (!verdict.ok) throw rateLimited(verdict);
  if (route.needs !== null && !page.may(route.needs)) throw refusedForRole(page);
  const fault = findTextFault([...page.form.entries(), ...page.query.entries()].flat());
  if (fault !== null)
    throw new ProblemError('validation_failed', {
      detail: `The form or the address has a text that cannot be stored: it ${fault.message}.`,
    });
  const wrong = findQueryFaults(page.path, route.query ?? {}, page.query);
  return wrong === null ? await route.run(page) : queryFaultsPage(wrong);
}

function queryFaultsPage(faults: QueryFaults): PageResult {
  const content = html`${pageHeader({ title: QUERY_FAULTS_TITLE })}${queryFaultsNotice(faults)}`;
  return pageOf({ title: QUERY_FAULTS_TITLE, section: 'overview', status: 422, content });
}

/** A reader signs in and comes back. What was typed into a form is not lost. */
async function signInFirst(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (request.method === 'GET') return reply.redirect(`/auth/sign-in?next=${encodeURIComponent(request.url)}`, 303);
  const form = request.body instanceof PageForm ? request.body : new PageForm([]);
  return await sendMarkup(reply.code(401), renderEndedSession(request.url, form));
}

async function respond(result: PageResult, page: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (result.kind === 'redirect') {
    if (result.notice !== undefined) setNotice(reply, page.services.auth, result.notice);
    return reply.redirect(result.to, 303);
  }
  if (result.kind === 'raw') {
    const { status = 200, contentType, headers = {}, body } = result;
    return reply
      .code(status)
      .headers({ 'x-robots-tag': 'noindex', 'referrer-policy': 'same-origin', ...headers })
      .header('content-type', contentType)
      .send(body);
  }
  return await sendConsolePage(result, page, reply);
}
