import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readFileIndex, serveFile } from '../../approvals/held-file.ts';
import type { Sql } from '../../db/client.ts';
import { type CapturedMessage, searchCaptured } from '../../db/queries/captured-messages.ts';
import { POSTMASTER_ACCOUNT_ID } from '../../db/queries/postmaster-account.ts';
import { pathOf } from '../../http/logged-path.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import { readQueryPairs } from '../../http/query-string.ts';
import type { Services } from '../../operations/context.ts';
import { findTextFault } from '../../operations/text-faults.ts';
import { ProblemError } from '../../problem.ts';
import type { ThreadJob } from '../../threads/thread-job.ts';
import { isUuid } from '../../uuid-v7.ts';
import { readCapturedMail } from '../captured-mail.ts';
import { toMailboxEntry } from '../mailbox-entry.ts';
import { CAPTURED_FILE, CAPTURED_HTML, CAPTURED_MESSAGE, CAPTURED_TEXT } from '../read-captured.ts';
import { BODY_HEADERS } from './body-policy.ts';
import { mailboxListPage } from './mailbox-list-page.ts';
import { MAILBOX_VIEWS, mailboxMessagePage } from './mailbox-message-page.ts';
import { MAILBOX_PATH, sendMailboxPage } from './mailbox-page.ts';
import { openPage } from './open-page.ts';
import { PageForm } from './page-form.ts';
import {
  findQueryFaults,
  type PageQuery,
  QUERY_FAULTS_TITLE,
  type QueryFaults,
  queryFaultsNotice,
  texts,
} from './page-query.ts';

const ROWS = 50;
const COUNT_CAP = 10_000;

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The captured mail, in development: for everyone on this machine, as the development routes are. */
export function addMailboxRoutes(app: FastifyInstance, sql: Sql, services: Services): void {
  const { auth, threads } = services;
  const add = (path: string, handler: Handler, accepted: PageQuery = {}) => {
    app.get(path, async (request, reply) => {
      const wrong = findQueryFaults(pathOf(request.url), accepted, queryOf(request));
      return wrong === null ? await handler(request, reply) : await refuse(wrong, request, reply);
    });
    refuseOtherMethods(app, path, ['GET']);
  };
  const refuse = async (wrong: QueryFaults, request: FastifyRequest, reply: FastifyReply) => {
    const page = { title: QUERY_FAULTS_TITLE, lead: null, crumbs: [], actions: null, status: 422 };
    const content = queryFaultsNotice(wrong);
    return await sendMailboxPage({ ...page, content }, await openPage(request, reply, services), reply);
  };
  const find = async (request: FastifyRequest): Promise<CapturedMessage> => {
    const { id } = request.params as { readonly id: string }; // The routes have this parameter.
    const captured = isUuid(id) ? await readCapturedMail(sql, auth.secrets, id) : null;
    if (captured === null)
      throw new ProblemError('not_found', { detail: 'There is no captured message with this id.' });
    return captured;
  };
  const run = async <Input, Output>(
    { accountId, raw }: CapturedMessage,
    job: ThreadJob<Input, Output>,
    input: Input,
  ) => {
    const result = await threads.run({ accountId }, job, input, raw.byteLength);
    if (result.kind === 'done') return result.output;
    throw new ProblemError('unavailable', { detail: 'Too many messages are being read right now.' });
  };

  const showList: Handler = async (request, reply) => {
    const { text, messageId, before } = readQuery(request);
    const asked = { before, limit: ROWS + 1, cap: COUNT_CAP };
    const { rows, total } = await searchCaptured(sql, { text, messageId }, asked);
    const shown = rows.slice(0, ROWS);
    const next = rows.length > ROWS ? (shown.at(-1)?.id ?? null) : null;
    const entries = shown.map(toMailboxEntry);
    const list = { entries, total, isTotalCapped: total === COUNT_CAP, text, messageId, next };
    return await sendMailboxPage(mailboxListPage(list), await openPage(request, reply, services), reply);
  };
  const showMessage: Handler = async (request, reply) => {
    const captured = await find(request);
    const message = await run(captured, CAPTURED_MESSAGE, captured.raw);
    const page = mailboxMessagePage(
      { ...captured, messageHref: messageHref(captured) },
      message,
      queryOf(request).get('show'),
    );
    return await sendMailboxPage(page, await openPage(request, reply, services), reply);
  };
  add(MAILBOX_PATH, showList, texts(['q', 'message', 'cursor']));
  add(`${MAILBOX_PATH}/:id`, showMessage, { show: MAILBOX_VIEWS });
  add(`${MAILBOX_PATH}/:id/html`, async (request, reply) => {
    const captured = await find(request);
    const markup = await run(captured, CAPTURED_HTML, captured.raw);
    return reply.headers(BODY_HEADERS).header('content-type', 'text/html; charset=utf-8').send(markup);
  });
  add(`${MAILBOX_PATH}/:id/text.txt`, async (request, reply) => {
    const captured = await find(request);
    const text = await run(captured, CAPTURED_TEXT, captured.raw);
    return sendFile(reply, `${captured.id}.txt`, 'text/plain; charset=utf-8', text ?? '');
  });
  add(`${MAILBOX_PATH}/:id/message.eml`, async (request, reply) => {
    const { id, raw } = await find(request);
    return sendFile(reply, `${id}.eml`, 'message/rfc822', Buffer.from(raw));
  });
  add(`${MAILBOX_PATH}/:id/files/:index`, async (request, reply) => {
    const captured = await find(request);
    const index = readFileIndex(pathOf(request.url));
    const file = index === null ? null : await run(captured, CAPTURED_FILE, { raw: captured.raw, index });
    if (file === null) throw new ProblemError('not_found', { detail: 'The message has no such file.' });
    return sendFile(reply, file.filename, 'application/octet-stream', Buffer.from(file.content));
  });
}

/** A page of this server would be opened with its permissions, so everything of a message is a download. */
function sendFile(reply: FastifyReply, filename: string, contentType: string, body: string | Buffer): FastifyReply {
  const { disposition } = serveFile(filename, 'application/octet-stream');
  return reply
    .headers({ ...BODY_HEADERS, 'content-disposition': disposition })
    .header('content-type', contentType)
    .send(body);
}

/** Mail of the installation itself belongs to no message of an account. */
function messageHref({ accountId, messageId }: CapturedMessage): string | null {
  return messageId === null || accountId === POSTMASTER_ACCOUNT_ID ? null : `/console/messages/${messageId}`;
}

function queryOf({ url }: FastifyRequest): PageForm {
  const start = url.indexOf('?');
  return new PageForm(readQueryPairs(start === -1 ? '' : url.slice(start + 1)));
}

function readQuery(request: FastifyRequest) {
  const query = queryOf(request);
  const id = (name: string) => {
    const value = query.text(name) ?? null;
    if (value === null || isUuid(value)) return value;
    throw new ProblemError('validation_failed', { detail: `\`${name}\` must be an id.` });
  };
  const text = query.text('q') ?? '';
  const fault = findTextFault(text);
  if (fault !== null) throw new ProblemError('validation_failed', { detail: `\`q\` ${fault.message}.` });
  return { text, messageId: id('message'), before: id('cursor') };
}
