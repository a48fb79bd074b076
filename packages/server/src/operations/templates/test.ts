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

/** Sends a template to the caller's own inbox through the regular send path. */
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
      // The request consists of the path as well as the body.
      idempotency:
        key === undefined ? null : { key, fingerprint: fingerprintOf({ test: source.id, body: context.rawBody }) },
    },
  ]);
  if (verdict === undefined) throw new Error('a send returned no verdict');
  if (verdict.kind === 'refused') throw toSendProblem(verdict);
  context.noteEmail(verdict.id);
  return { body: acceptedBody(verdict), headers: sendHeaders(verdict) };
};

/** The registry requires the scope for sending. Showing the template's content in the message requires a template scope as well. */
function assertMaySee({ caller }: KeyedContext): void {
  if (caller.scopes.includes('templates:read') || caller.scopes.includes('templates:write')) return;
  throw new ProblemError('missing_scope', { detail: 'The key lacks the scope `templates:read`.' });
}

/** @throws ProblemError if the caller has no such inbox, or `to` names another address. */
function inboxOf(ownEmail: string | null, to: string | undefined): string {
  if (ownEmail === null) throw invalidField('to', 'not_available', 'cannot be determined: the account has no owner');
  if (to === undefined || foldAddress(to) === foldAddress(ownEmail)) return ownEmail;
  throw invalidField('to', 'not_allowed', 'can only be your own address; leave it out');
}

/** A template without a subject is tested with its name as the subject. */
function toRequest(
  { id, version, subject, name }: TemplateSourceRow,
  from: string,
  to: string,
  variables: Readonly<Record<string, unknown>> = {},
) {
  const own = subject === null ? { subject: name } : {};
  const template = `${id}@${version}`;
  // Everything parsed here was validated before, except the addresses, which come from the account's own records.
  return { ...sendRequestSchema.parse({ from, to: [to], template, ...own }), variables };
}
