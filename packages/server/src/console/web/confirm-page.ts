import type { Statement } from '../../auth/passkeys/statement.ts';
import { ASKS_FOR_CHALLENGE, challengeForPage, confirmationForm } from '../../auth/passkeys/web/confirmation-form.ts';
import { html } from '../../html/page-markup.ts';
import type { ProblemError } from '../../problem.ts';
import { pageHeader } from '../../ui/components/page-header.ts';
import { flushCard } from '../../ui/components/surfaces.ts';
import { type PageResult, page, type RawResult } from './console-page.ts';
import type { PageRequest } from './page-request.ts';

const TITLE = 'Confirm with your passkey';

/** For a form whose change needs a passkey: the form again, to be sent with the signature. Nothing was changed. */
export async function confirmPage(
  request: PageRequest,
  statement: Statement,
  { message }: ProblemError,
): Promise<PageResult> {
  const { services, caller, form, path } = request;
  const { baseUrl } = services.installation;
  const isAsked = form.has(ASKS_FOR_CHALLENGE);
  // A form that is sent in the background has no page to ask on.
  if (form.has('byScript') && !isAsked) return json({ isDone: false, message, href: path, needsPasskey: true });
  const challenge = await challengeForPage(services.auth, baseUrl, caller.user.userId, statement);
  if (isAsked && challenge !== null) return json(challenge);
  const fields = form.entries();
  return page({
    ...{ title: TITLE, section: sectionOf(path), status: 403 },
    content: html`${pageHeader({ title: TITLE })}${flushCard(null, html`<div class="body">${confirmationForm({ detail: message, page: '/console', action: path, fields, challenge, baseUrl, label: 'Confirm with your passkey' })}</div>`)}`,
  });
}

function json(body: unknown): RawResult {
  return {
    ...{ kind: 'raw', status: 403, contentType: 'application/json; charset=utf-8' },
    headers: { 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  };
}

const SECTIONS = ['approvals', 'keys', 'team', 'settings'] as const;

function sectionOf(path: string): (typeof SECTIONS)[number] {
  return SECTIONS.find((section) => path.startsWith(`/console/${section}`)) ?? 'settings';
}
