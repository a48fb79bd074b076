import type { Problem } from '@postrider/core';
import { html } from '../../html/page-markup.ts';
import type { ProblemPage } from '../../http/create-http-app.ts';
import { linkButton } from '../../ui/components/button.ts';
import { withCode } from '../../ui/components/with-code.ts';
import { SCRIPTLESS_PAGE_POLICY } from '../../ui/page-document.ts';
import { renderSinglePage } from '../../ui/single-page.ts';

const HEADERS = {
  'content-security-policy': SCRIPTLESS_PAGE_POLICY,
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
};

/** An error for a user in a browser, outside the pages of the console: no session is read, because that may be what failed. */
export function renderProblem({ status, title, detail, fix, requestId }: Problem): ProblemPage {
  const markup = renderSinglePage(
    TITLES[status] ?? title,
    html`<p>${withCode(detail)}</p>${status < 500 ? html`<p>${status === 404 ? GONE : withCode(fix)}</p>` : null}
${linkButton('Go to the console', '/console')}
<p class="small faint">Request <code>${requestId}</code></p>`,
  );
  return { markup, headers: HEADERS };
}

const GONE = 'The address may be incomplete or out of date.';

const TITLES: Readonly<Record<number, string>> = {
  404: 'Not found',
  405: 'This page cannot do that',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available at the moment',
};
