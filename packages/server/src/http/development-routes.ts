import { parseMailbox } from '@postrider/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type AccountTools, createAccount } from '../accounts/create-account.ts';
import { listCaptured, readCapturedRaw } from '../db/queries/captured-messages.ts';
import { INSTALLATION_ACCOUNT_ID, readDomainKey } from '../db/queries/sending-domains.ts';
import { dkimRecordValue } from '../delivery/dkim-key.ts';
import { ProblemError } from '../problem.ts';
import { isUuid } from '../uuid-v7.ts';

export interface DevelopmentOptions {
 readonly tools: AccountTools;
 readonly sandboxDomain: string;
}

const MAILBOX_ROWS = 1_000;

const newAccountSchema = z.strictObject({ name: z.string().min(1).max(100), ownerEmail: z.string() });

/** Routes of development mode only: the captured mail, further accounts, the sandbox's DNS record. They ask for no key. */
export function addDevelopmentRoutes(app: FastifyInstance, { tools, sandboxDomain }: DevelopmentOptions): void {
 app.get('/dev/mailbox', async () => {
   const rows = await listCaptured(tools.sql, MAILBOX_ROWS);
   return { messages: rows.map(({ receivedAt, ...row }) => ({ ...row, receivedAt: receivedAt.toISOString() })) };
 });
 app.get<{ Params: { file: string } }>('/dev/mailbox/:file', async (request, reply) => {
   const id = /^(.+)\.eml$/.exec(request.params.file)?.[1] ?? '';
   const raw = isUuid(id) ? await readCapturedRaw(tools.sql, id) : null;
   if (raw === null) throw new ProblemError('not_found', { detail: 'There is no captured message of this id.' });
   return reply.header('content-type', 'message/rfc822').send(Buffer.from(raw));
 });
 app.post('/dev/accounts', async (request, reply) => {
   const created = await createAccount(tools, readNewAccount(request.body));
   return reply.code(201).send(created);
 });
 app.get('/dev/sandbox', async () => {
   const key = await readDomainKey(tools.sql, INSTALLATION_ACCOUNT_ID, sandboxDomain);
   if (key === null) throw new ProblemError('not_found', { detail: 'The sandbox domain is not ready.' });
   const record = { type: 'TXT', host: `${key.selector}._domainkey.${key.name}`, value: dkimRecordValue(key.publicKey) };
   return { domain: key.name, dkimSelector: key.selector, records: [record] };
 });
}

function readNewAccount(body: unknown): { readonly name: string; readonly ownerEmail: string } {
 const result = newAccountSchema.safeParse(body);
 const detail = 'Send {"name": …, "ownerEmail": …}, a name of 1 to 100 characters and an email address.';
 if (!result.success) throw new ProblemError('validation_failed', { detail });
 const owner = parseMailbox(result.data.ownerEmail);
 if (!owner.ok) throw new ProblemError('validation_failed', { detail: `ownerEmail ${owner.message}.` });
 return { name: result.data.name, ownerEmail: owner.mailbox.address };
}
