import { LIMITS, type Problem } from '@postrider/core';
import { html } from '../../../html/page-markup.ts';
import { button, linkButton } from '../../../ui/components/button.ts';
import { faultOf, textArea, textField } from '../../../ui/components/field.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, notice } from '../../../ui/components/surfaces.ts';
import { type PageResult, type PageRoute, page, redirect } from '../console-page.ts';
import { problemNotice } from '../console-problems.ts';
import { PageForm } from '../page-form.ts';
import { texts } from '../page-query.ts';
import type { PageRequest } from '../page-request.ts';

const PATH = '/console/messages/send';

/** One message by hand: the first step of a new account, and a check of a domain that was just verified. */
export const SEND_PAGES: readonly PageRoute[] = [
  {
    ...{ method: 'GET', path: PATH, needs: 'emails.send', query: texts(['from', 'to']) },
    run: async (request) => show(request, proposalOf(request), null),
  },
  { method: 'POST', path: PATH, needs: 'emails.send', run: send },
];

function proposalOf({ query, caller, services }: PageRequest): PageForm {
  const { sandboxDomain } = services.installation;
  return new PageForm([
    [
      'from',
      query.text('from') ?? `${caller.accountName.replaceAll(/[^\p{L}\p{N} .-]/gu, '')} <hello@${sandboxDomain}>`,
    ],
    ['to', query.text('to') ?? `delivered@${sandboxDomain}`],
    ['subject', 'A first message'],
    ['text', 'Hello from Postrider.'],
  ]);
}

function show(request: PageRequest, form: PageForm, problem: Problem | null): PageResult {
  const title = 'Send a test message';
  const fault = (path: string) => faultOf(problem?.errors, path);
  const { sandboxDomain } = request.services.installation;
  // The same form, sent twice, is one message. Another message from the same form needs a new name.
  const isOther = problem?.code === 'idempotency_key_reused';
  const once = isOther ? request.requestId : (form.get('once') ?? request.requestId);
  return page({
    ...{ title, section: 'messages', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title, lead: html`Nothing to <code>${sandboxDomain}</code> leaves this server: <code>delivered@</code>, <code>bounced@</code> and <code>complained@</code> show each outcome.`, crumbs: [{ label: 'Messages', href: '/console/messages' }] })}
${isOther ? notice('info', 'This form was already sent.', 'Press Send again to send it as another message.') : problem === null ? null : problemNotice(problem)}${card(
  'Message',
  html`<form class="form" method="post" action="${PATH}"><input type="hidden" name="once" value="${once}">
${textField({ name: 'from', label: 'From', value: form.get('from'), isRequired: true, maxLength: LIMITS.addressCharacters, fault: fault('from') })}
${textField({ name: 'to', label: 'To', value: form.get('to'), isRequired: true, maxLength: LIMITS.addressCharacters, fault: fault('to') })}
${textField({ name: 'subject', label: 'Subject', value: form.get('subject'), isRequired: true, maxLength: LIMITS.subjectCharacters, fault: fault('subject') })}
${textArea({ name: 'text', label: 'Text', value: form.get('text'), rows: 6, isRequired: true, fault: fault('text') })}
<div class="actions">${button('Send', { kind: 'primary' })}${linkButton('Back', '/console/messages', { kind: 'plain' })}</div></form>`,
)}`,
  });
}

async function send(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const once = form.text('once');
  const result = await request.attempt('emails.send', {
    body: {
      from: form.text('from') ?? '',
      to: form.text('to') ?? '',
      subject: form.get('subject') ?? '',
      text: form.get('text') ?? '',
    },
    headers: once === undefined ? {} : { 'idempotency-key': once },
  });
  if (!result.ok) return show(request, form, result.problem);
  const id = 'id' in result.body ? result.body.id : '';
  return redirect(`/console/messages/${id}`, 'The message was accepted.');
}
