import { foldAddress, sendRequestSchema } from '@postrider/core';
import { readTemplateSource, type TemplateSourceRow } from '../../db/queries/template-records.ts';
import { readTestPlaces } from '../../db/queries/template-tests.ts';
import { ProblemError } from '../../problem.ts';
import { fingerprintOf } from '../../sending/idempotency.ts';
import { senderOf } from '../../sending/judged-sender.ts';
import { sendMessages } from '../../sending/send-messages.ts';
import { toTemplateName } from '../../templates/template-reference.ts';
import type { Handler, KeyedContext } from '../context.ts';
import { acceptedBody, sendHeaders, toSendProblem } from '../emails/send-response.ts';
import { invalidField } from './template-problems.ts';
import { templateNotFound, visibleDraftsOf } from './template-record.ts';

/** Sends a template to the caller's own inbox, by the way of every send. */
export const testTemplate: Handler<'templates.test'> = async ({ params, body, headers }, context) => {
  const { caller } = context;
  const { database, sending, installation } = context.services;
  assertMaySee(context);
  const name = toTemplateName(params.id);
  const [source, places] = await Promise.all([
    readTemplateSource(database.sql, caller.accountId, name, { version: null, draftsOf: visibleDraftsOf(caller) }),
    readTestPlaces(database.sql, caller),
  ]);
  if (source === null) throw templateNotFound(params.id);
  const inbox = inboxOf(places.inbox, body.to?.address);
  const key = headers['idempotency-key'];
  const [verdict] = await sendMessages(sending, senderOf(caller), [
    {
      request: toRequest(source, `templates@${places.domain ?? installation.sandboxDomain}`, inbox, body.variables),
      fixedChannel: context.via === 'mcp' ? 'mcp' : null,
      headerClaims: {},
      // The path is part of what is asked for, beside the body.
      idempotency:
        key === undefined ? null : { key, fingerprint: fingerprintOf({ test: source.id, body: context.rawBody }) },
    },
  ]);
  if (verdict === undefined) throw new Error('a send came back without a verdict');
  if (verdict.kind === 'refused') throw toSendProblem(verdict);
  context.noteEmail(verdict.id);
  return { body: acceptedBody(verdict), headers: sendHeaders(verdict) };
};

/** The registry names the scope for sending; what the message shows needs one for templates as well. */
function assertMaySee({ caller }: KeyedContext): void {
  if (caller.scopes.includes('templates:read') || caller.scopes.includes('templates:write')) return;
  throw new ProblemError('missing_scope', { detail: 'The key lacks the scope `templates:read`.' });
}

/** @throws ProblemError where there is no such inbox, or `to` asks for another. */
function inboxOf(ownEmail: string | null, to: string | undefined): string {
  if (ownEmail === null) throw invalidField('to', 'not_available', 'cannot be told: the account has no owner');
  if (to === undefined || foldAddress(to) === foldAddress(ownEmail)) return ownEmail;
  throw invalidField('to', 'not_allowed', 'can only be your own address; leave it out');
}

/** A template without a subject is tested under its name. */
function toRequest(
  { id, version, subject, name }: TemplateSourceRow,
  from: string,
  to: string,
  variables: Readonly<Record<string, unknown>> = {},
) {
  const own = subject === null ? { subject: name } : {};
  const template = `${id}@${version}`;
  // What is parsed here was parsed before, save the addresses, which the account's own records give.
  return { ...sendRequestSchema.parse({ from, to: [to], template, ...own }), variables };
}
