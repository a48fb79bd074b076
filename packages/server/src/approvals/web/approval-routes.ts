import { LIMITS } from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readFormOrigin } from '../../auth/client-info.ts';
import { relyingPartyOf } from '../../auth/passkeys/relying-party.ts';
import type { Statement } from '../../auth/passkeys/statement.ts';
import {
  ASKS_FOR_CHALLENGE,
  challengeForPage,
  readConfirmationForm,
} from '../../auth/passkeys/web/confirmation-form.ts';
import { sendJson } from '../../console/user-pages.ts';
import { pathOf } from '../../http/logged-path.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import type { Services } from '../../operations/context.ts';
import type { DecisionVerdict } from '../decide-approval.ts';
import { readFileIndex } from '../held-file.ts';
import {
  APPROVAL_PAGE_POLICY,
  renderAlreadyDecidedPage,
  renderBusyPage,
  renderConfirmPage,
  renderDecidedPage,
  renderEditPage,
  renderHeldPage,
  renderOutdatedPage,
  renderRecordedPage,
  renderUndecidedPage,
  renderUnknownApprovalPage,
} from './approval-pages.ts';
import { decideByLink, parseDecision } from './decide-by-link.ts';
import { readDeciderName } from './decider-name.ts';
import { findFormFaults, readDecisionForm, UNSHOWN } from './decision-form.ts';
import { EDIT_COMPARISON, sizeOfComparison } from './edit-comparison.ts';
import { fieldsOf, readEditFields, recipientsIn } from './edit-form.ts';
import { checkEdits, comparisonPage, editPage } from './edit-pages.ts';
import { type HeldContent, readExcerpts, serveHeldFile, serveHeldHtml, serveHeldText } from './held-content.ts';
import { readHeld } from './held-reading.ts';
import { foreseeByLink } from './link-forecast.ts';
import { type FoundHold, findHold } from './link-hold.ts';
import { heldView } from './view/held-view.ts';
import type { HeldView } from './view/shown-hold.ts';
import { readVotingOfLink } from './voting.ts';

const FORM_BYTES = 16_384;
const PATH = '/approvals/:token';

/**
 * The links in mail to approvers. GET shows the whole message and changes nothing, because mail scanners follow links; POST decides, once.
 * The token alone identifies the decider, so no sign-in is needed.
 */
export function addApprovalRoutes(app: FastifyInstance, services: Services): void {
  app.get('/approvals', (_request, reply) => reply.redirect('/console/approvals', 303));
  app.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, new URLSearchParams(String(body))),
    );
    const withHold =
      (
        run: (
          found: FoundHold,
          request: FastifyRequest,
          reply: FastifyReply,
          services: Services,
        ) => Promise<FastifyReply>,
      ) =>
      async (request: FastifyRequest, reply: FastifyReply) => {
        const found = await findHold(request, services);
        return found === null ? unknown(reply) : await run(found, request, reply, services);
      };
    pages.get(PATH, withHold(show));
    pages.post(PATH, { bodyLimit: FORM_BYTES }, withHold(decide));
    pages.get(`${PATH}/html`, withHold(showHtml));
    pages.get(`${PATH}/text`, withHold(showText));
    pages.get(`${PATH}/files/:index`, withHold(showFile));
    pages.get(`${PATH}/edit`, withHold(showEdit));
    // Megabytes are only read from clients that have a link.
    const known = async (request: FastifyRequest, reply: FastifyReply) => {
      if ((await findHold(request, services)) === null) return unknown(reply);
    };
    pages.post(`${PATH}/edit`, { bodyLimit: LIMITS.decisionBodyBytes, onRequest: known }, withHold(edit));
    pages.post(
      `${PATH}/edit/html`,
      { bodyLimit: LIMITS.decisionBodyBytes, onRequest: known },
      withHold(showEditedHtml),
    );
    refuseOtherMethods(pages, `${PATH}/edit/html`, ['POST']);
    for (const path of [PATH, `${PATH}/edit`]) refuseOtherMethods(pages, path, ['GET', 'POST']);
    for (const path of ['html', 'text', 'files/:index']) refuseOtherMethods(pages, `${PATH}/${path}`, ['GET']);
  });
}

async function show(found: FoundHold, request: FastifyRequest, reply: FastifyReply, services: Services) {
  return await showHeld(found, request, reply, services, { errors: [], refused: null });
}

async function showHeld(
  found: FoundHold,
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  refusal: Pick<HeldView, 'errors' | 'refused'>,
) {
  const { approval, token, tools, status } = found;
  if (status !== 'pending') return await alreadyDecided(found, reply);
  if (isOutdated(found)) return outdated(found, reply, services);
  const voting = await readVotingOfLink(found);
  const view = {
    ...{ approval, base: `/approvals/${token}`, now: services.database.clock.now().toISOString() },
    ...refusal,
    passkeyHost: passkeyHostOf(services),
    voting,
    ...{
      mayDecide: true,
      mayRemember: false,
      forecast: voting.mayApprove ? await foreseeByLink(found) : [],
      next: null,
    },
    loadsPictures: 'pictures' in (request.query as object), // Fastify parses a query into an object.
    reading: await readHeld(services.threads, ownerOf(found), approval),
    excerpts: await readExcerpts(tools, approval),
  };
  return sendPage(reply, renderHeldPage(approval, heldView(view)));
}

async function showHtml(found: FoundHold, request: FastifyRequest, reply: FastifyReply) {
  if (found.status !== 'pending') return unknown(reply);
  const areRemote = 'pictures' in (request.query as object); // Fastify parses a query into an object.
  return sendContent(reply, await serveHeldHtml(found.tools, found.approval, areRemote));
}

async function showEditedHtml(found: FoundHold, request: FastifyRequest, reply: FastifyReply, services: Services) {
  if (isForeign(request, services)) return foreign(reply);
  if (found.status !== 'pending') return unknown(reply);
  const { html } = readEditFields(formOf(request));
  return sendContent(reply, await serveHeldHtml(found.tools, { ...found.approval, html }, false));
}

async function showText({ approval, status, tools }: FoundHold, request: FastifyRequest, reply: FastifyReply) {
  if (status !== 'pending') return unknown(reply);
  const isOfHtml = 'of' in (request.query as object); // Fastify parses a query into an object.
  return sendContent(reply, await serveHeldText(tools, approval, isOfHtml));
}

async function showFile({ approval, status, tools }: FoundHold, request: FastifyRequest, reply: FastifyReply) {
  const file = status === 'pending' ? await serveHeldFile(tools, approval, readFileIndex(pathOf(request.url))) : null;
  return file === null ? unknown(reply) : sendContent(reply, file);
}

async function showEdit(found: FoundHold, _request: FastifyRequest, reply: FastifyReply, services: Services) {
  const { approval, token, status } = found;
  if (status !== 'pending') return await alreadyDecided(found, reply);
  if (isOutdated(found)) return outdated(found, reply, services);
  return sendPage(
    reply,
    renderEditPage(editPage({ approval, base: `/approvals/${token}`, fields: fieldsOf(approval) })),
  );
}

async function decide(found: FoundHold, request: FastifyRequest, reply: FastifyReply, services: Services) {
  if (isForeign(request, services)) return foreign(reply);
  const given = readDecisionForm(formOf(request));
  const errors = given === null ? [] : findFormFaults(given);
  const isUnshown = errors.includes(UNSHOWN);
  if (found.status !== 'pending') return await alreadyDecided(found, reply);
  if (isOutdated(found)) return outdated(found, reply, services);
  if (given !== null && errors.length > 0 && !isUnshown) {
    const refused = { decision: given.decision, note: given.note ?? '' };
    return await showHeld(found, request, reply.code(422), services, { errors, refused });
  }
  const decision = isUnshown ? null : parseDecision(given, found);
  if (decision === null) {
    return sendPage(reply.code(422), renderUndecidedPage('The form is incomplete or invalid.'));
  }
  return await respond(
    await decideByLink(found, decision, readConfirmationForm(formOf(request)), request, services),
    request,
    reply,
    services,
  );
}

/** Edits are compared first. Nothing is decided before the step `approve`. */
async function edit(found: FoundHold, request: FastifyRequest, reply: FastifyReply, services: Services) {
  if (isForeign(request, services)) return foreign(reply);
  const { approval, token, status } = found;
  if (status !== 'pending') return await alreadyDecided(found, reply);
  if (isOutdated(found)) return outdated(found, reply, services);
  const form = formOf(request);
  const fields = readEditFields(form);
  const editing = { approval, base: `/approvals/${token}`, fields };
  const refuse = (refused: Parameters<typeof editPage>[1]) => {
    const page = editPage(editing, refused);
    return sendPage(reply.code(page.status), renderEditPage(page));
  };
  const step = form.get('step');
  if (step === 'change') return refuse(null);
  const checked = checkEdits(editing);
  if (!checked.ok)
    return refuse({ status: 422, detail: 'The message cannot be sent with these changes.', errors: checked.errors });
  if (step !== 'approve') {
    const result = await services.threads.run(ownerOf(found), EDIT_COMPARISON, editing, sizeOfComparison(editing));
    if (result.kind !== 'done') return busy(reply);
    const forecast = await foreseeByLink(found, recipientsIn(fields));
    return sendPage(
      reply,
      renderEditPage(
        comparisonPage(editing, result.output, {
          next: null,
          mayRemember: false,
          forecast,
          passkeyHost: passkeyHostOf(services),
        }),
      ),
    );
  }
  const decision = parseDecision(checked.given, found);
  const verdict =
    decision === null ? null : await decideByLink(found, decision, readConfirmationForm(form), request, services);
  if (verdict?.kind === 'invalid') {
    return refuse({ status: 422, detail: 'The message cannot be sent with these changes.', errors: verdict.problems });
  }
  return await respond(verdict, request, reply, services);
}

async function respond(
  verdict: DecisionVerdict | null,
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<FastifyReply> {
  // Read again, as it is after the decision. The link still shows it.
  const found = verdict === null ? null : await findHold(request, services);
  if (verdict === null || found === null) return unknown(reply);
  if (verdict.kind === 'passkey_needed' && verdict.statement !== null) {
    return await askForPasskey(found, verdict.statement, request, reply, services);
  }
  if (verdict.kind === 'decided') return sendPage(reply, renderDecidedPage(found.approval));
  if (verdict.kind === 'recorded') return sendPage(reply, renderRecordedPage(found.approval));
  if (verdict.kind === 'beyond_caller') {
    return sendPage(reply.code(403), renderUndecidedPage(verdict.refusal.detail));
  }
  if (verdict.kind === 'already_decided') return await alreadyDecided(found, reply);
  const detail = 'The email has changed since this page was shown.';
  return sendPage(reply.code(409), renderUndecidedPage(detail));
}

/** Nothing was decided: the form is sent again, with the signature of a passkey of the member. */
async function askForPasskey(
  { link: { userId } }: FoundHold,
  statement: Statement,
  request: FastifyRequest,
  reply: FastifyReply,
  { auth, installation: { baseUrl } }: Services,
): Promise<FastifyReply> {
  const form = formOf(request);
  const challenge = userId === null ? null : await challengeForPage(auth, baseUrl, userId, statement);
  if (challenge !== null && form.has(ASKS_FOR_CHALLENGE)) return sendJson(reply.code(403), challenge);
  const action = pathOf(request.url);
  const page = renderConfirmPage({ page: action, action, fields: [...form], challenge, baseUrl });
  return sendPage(reply.code(403), page);
}

async function alreadyDecided({ approval, status, own, link }: FoundHold, reply: FastifyReply): Promise<FastifyReply> {
  const decider = await readDeciderName(own.database.sql, link.accountId, approval.decidedBy);
  return sendPage(reply.code(410), renderAlreadyDecidedPage({ ...approval, status }, decider));
}

/** A link can decide only the revision that its mail was about. */
function isOutdated({ link, approval }: FoundHold): boolean {
  return link.revision !== approval.revision;
}

function outdated({ approval }: FoundHold, reply: FastifyReply, { installation }: Services): FastifyReply {
  const page = `${installation.baseUrl}/console/approvals/${approval.id}`;
  return sendPage(reply.code(409), renderOutdatedPage(approval, page));
}

function passkeyHostOf({ installation }: Services): string | null {
  return relyingPartyOf(installation.baseUrl)?.id ?? null;
}

/** Other sites do not know the secret link; a program that knows it may decide with it. */
function isForeign({ headers }: FastifyRequest, { installation }: Services): boolean {
  return readFormOrigin(headers, installation.baseUrl) === 'foreign';
}

function foreign(reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(403), renderUndecidedPage('The decision did not come from the page of this link.'));
}

function unknown(reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(404), renderUnknownApprovalPage());
}

function busy(reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(503), renderBusyPage());
}

/** The work counts for the key whose send is held, so that viewing its messages delays no other sender. */
function ownerOf({ approval: { keyId }, link: { accountId } }: FoundHold) {
  return { accountId, keyId };
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

function sendContent(reply: FastifyReply, { status, contentType, headers, body }: HeldContent): FastifyReply {
  return reply.code(status).headers(headers).header('content-type', contentType).send(body);
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
