import type { Problem } from '@postrider/core';
import { type Html, html } from '../../html/page-markup.ts';
import type { ProblemError } from '../../problem.ts';
import { pageHeader } from '../../ui/components/page-header.ts';
import { notice } from '../../ui/components/surfaces.ts';
import { withCode } from '../../ui/components/with-code.ts';
import { renderSinglePage } from '../../ui/single-page.ts';
import { type PageContent, page } from './console-page.ts';
import type { PageForm } from './page-form.ts';
import type { PageRequest } from './page-request.ts';

/** The page of a refusal: what is wrong, what to do, and the id that support can find it by. */
export function problemPage(request: PageRequest, error: ProblemError): PageContent {
  const problem = request.problemOf(error);
  const section = 'overview';
  const title = problem.status === 404 ? 'Not found' : problem.title;
  return page({
    ...{ title, section, status: problem.status },
    content: html`${pageHeader({ title })}${problemNotice(problem)}
<p class="small faint">Request <code>${problem.requestId}</code></p>`,
  });
}

/** A refusal as part of a page, such as of a form. */
export function problemNotice({ detail, fix, errors = [], recipients = [] }: Problem): Html {
  const named = recipients.map(({ email, code }) => html`<li>${email}: ${code.replaceAll('_', ' ')}</li>`);
  const faults = errors.length > 1 ? errors.map(({ path, message }) => html`<li><b>${path}</b>: ${message}</li>`) : [];
  const list = [...named, ...faults];
  return html`${notice('bad', withCode(detail), html`${withCode(fix)}${list.length === 0 ? null : html`<ul>${list}</ul>`}`)}`;
}

/**
 * For a form that was sent after the session had ended. Everything that was typed is kept on this page, and sent again after a new sign-in in
 * another tab.
 */
export function renderEndedSession(path: string, form: PageForm): string {
  const entries = form.entries();
  const kept = entries.map(
    ([name, value]) => html`<textarea name="${name}" hidden aria-label="${name}">
${value}</textarea>`,
  );
  const typed = entries
    .filter(([, value]) => value.trim() !== '')
    .map(([name, value]) => html`<h2>${name}</h2><pre>${value}</pre>`);
  return renderSinglePage(
    'Your session has ended',
    html`<p>Nothing was changed, and nothing you typed is lost.</p>
<ol class="stack-tight"><li><a href="/auth/sign-in" target="_blank" rel="noopener">Sign in in a new tab</a>, as the same user.</li><li>Come back to this page, and send the form again.</li></ol>
<form method="post" action="${path}">${kept}<button class="primary" type="submit">Send the form again</button></form>
${typed.length === 0 ? null : html`<details class="more"><summary>What you typed</summary><div class="stack-tight">${typed}</div></details>`}`,
  );
}
