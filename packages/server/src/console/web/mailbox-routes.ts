import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sql } from '../../db/client.ts';
import { type CapturedMessage, listCaptured } from '../../db/queries/captured-messages.ts';
import type { SecretBox } from '../../keys/secret-box.ts';
import { ProblemError } from '../../problem.ts';
import type { JobThreads } from '../../threads/job-threads.ts';
import type { ThreadJob } from '../../threads/thread-job.ts';
import { isUuid } from '../../uuid-v7.ts';
import { readCapturedMail } from '../captured-mail.ts';
import { toMailboxEntry } from '../mailbox-entry.ts';
import { CONSOLE_STYLE, renderMailbox } from '../mailbox-pages.ts';
import { CAPTURED_HTML, CAPTURED_PAGE } from '../read-captured.ts';

const ROWS = 200;
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** A stranger's HTML: styles and embedded images show, but nothing runs or loads, so that the sender cannot see that the mail was read. */
const BODY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox";

/** The captured mail, in development. */
export function addMailboxRoutes(app: FastifyInstance, sql: Sql, secrets: SecretBox, threads: JobThreads): void {
  const read = async (request: FastifyRequest, job: ThreadJob<CapturedMessage, string>) => {
    const { id } = request.params as { readonly id: string }; // The routes have this parameter.
    const captured = isUuid(id) ? await readCapturedMail(sql, secrets, id) : null;
    if (captured === null)
      throw new ProblemError('not_found', { detail: 'There is no captured message with this id.' });
    const { accountId, raw } = captured;
    const result = await threads.run({ accountId }, job, captured, raw.byteLength);
    if (result.kind === 'done') return result.output;
    throw new ProblemError('unavailable', { detail: 'Too many messages are being read right now.' });
  };
  app.get('/console/mailbox', async (_request, reply) =>
    sendPage(reply, renderMailbox((await listCaptured(sql, ROWS)).map(toMailboxEntry)), PAGE_POLICY),
  );
  app.get('/console/mailbox/style.css', (_request, reply) =>
    reply.header('content-type', 'text/css; charset=utf-8').send(CONSOLE_STYLE),
  );
  app.get('/console/mailbox/:id', async (request, reply) =>
    sendPage(reply, await read(request, CAPTURED_PAGE), PAGE_POLICY),
  );
  app.get('/console/mailbox/:id/html', async (request, reply) =>
    sendPage(reply, await read(request, CAPTURED_HTML), BODY_POLICY),
  );
}

function sendPage(reply: FastifyReply, markup: string, policy: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('x-dns-prefetch-control', 'off')
    .header('referrer-policy', 'no-referrer')
    .send(markup);
}
