import { accountNameSchema, mailboxSchema } from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type AccountTools, createAccount } from '../../accounts/create-account.ts';
import type { AuthServices } from '../../auth/auth-services.ts';
import { beginDevelopmentSession } from '../../auth/web/development-session.ts';
import { listCaptured } from '../../db/queries/captured-messages.ts';
import { INSTALLATION_ACCOUNT_ID, readDomainKey } from '../../db/queries/sending-domains.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import { addWithAndWithoutPrefix } from '../../http/version-prefix.ts';
import { parsePart, validationFailed } from '../../operations/parse-part.ts';
import { ProblemError } from '../../problem.ts';
import { dkimRecordValue } from '../../sending-domains/dkim-key.ts';
import { isUuid } from '../../uuid-v7.ts';
import { readCapturedMail } from '../captured-mail.ts';
import { toMailboxEntry } from '../mailbox-entry.ts';

export interface DevelopmentOptions {
  readonly tools: AccountTools;
  readonly auth: AuthServices;
  readonly sandboxDomain: string;
}

const MAILBOX_ROWS = 1_000;

const newAccountSchema = z.strictObject({
  name: accountNameSchema,
  ownerEmail: mailboxSchema,
});

const newSessionSchema = z.strictObject({ email: mailboxSchema });

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Routes that only exist in development mode: the captured mail, additional accounts, sessions, the sandbox's DNS
 * record. They require no key.
 */
export function addDevelopmentRoutes(app: FastifyInstance, options: DevelopmentOptions): void {
  addWithAndWithoutPrefix(app, (context) => addRoutes(context, options));
}

function addRoutes(app: FastifyInstance, { tools, auth, sandboxDomain }: DevelopmentOptions): void {
  const add = (method: 'GET' | 'POST', path: string, handler: Handler) => {
    app.route({ method, url: path, handler });
    refuseOtherMethods(app, path, [method]);
  };
  add('GET', '/dev/mailbox', async () => {
    const entries = (await listCaptured(tools.sql, MAILBOX_ROWS)).map(toMailboxEntry);
    return { messages: entries.map((entry) => ({ ...entry, receivedAt: entry.receivedAt.toISOString() })) };
  });
  add('GET', '/dev/mailbox/:file', async (request, reply) => {
    const { file } = request.params as { readonly file: string }; // The route has this parameter.
    const id = /^(.+)\.eml$/.exec(file)?.[1] ?? '';
    const captured = isUuid(id) ? await readCapturedMail(tools.sql, auth.secrets, id) : null;
    if (captured === null) {
      const fix =
        'Use an id from GET /dev/mailbox: a captured message has its own id, which differs from the id of its email.';
      throw new ProblemError('not_found', { detail: 'There is no captured message with this id.', fix });
    }
    return reply.header('content-type', 'message/rfc822').send(Buffer.from(captured.raw));
  });
  add('POST', '/dev/accounts', async (request, reply) => {
    const part = parsePart(newAccountSchema, request.body, 'body');
    if (!part.ok) throw validationFailed(part.problems);
    const { name, ownerEmail } = part.data;
    return reply.code(201).send(await createAccount(tools, { name, ownerEmail: ownerEmail.address }));
  });
  add('POST', '/dev/session', async (request, reply) => {
    const part = parsePart(newSessionSchema, request.body, 'body');
    if (!part.ok) throw validationFailed(part.problems);
    return await beginDevelopmentSession(auth, part.data.email.address, request, reply);
  });
  add('GET', '/dev/sandbox', async () => {
    const key = await readDomainKey(tools.sql, INSTALLATION_ACCOUNT_ID, sandboxDomain);
    if (key === null) throw new ProblemError('not_found', { detail: 'The sandbox domain is not ready.' });
    const record = {
      type: 'TXT',
      host: `${key.selector}._domainkey.${key.name}`,
      value: dkimRecordValue(key.publicKey),
    };
    return { domain: key.name, dkimSelector: key.selector, records: [record] };
  });
}
