import { LIMITS, type Webhook } from '@postrider/core';
import { html } from '../../../../html/page-markup.ts';
import { linkButton } from '../../../../ui/components/button.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { card, copyable, notice } from '../../../../ui/components/surfaces.ts';
import { type PageResult, page } from '../../console-page.ts';
import { endpointPath, WEBHOOKS_PATH } from './paths.ts';

/** The only page that shows a secret. It is the response to a form, so the secret is in no address and no cookie. */
export function secretPage(endpoint: Webhook & { readonly secret: string }, title: string): PageResult {
  return page({
    ...{ title, section: 'webhooks' },
    content: html`${pageHeader({ title, lead: endpoint.url, crumbs: [{ label: 'Webhooks', href: WEBHOOKS_PATH }] })}
${notice('warn', 'Copy the signing secret now.', 'It is shown only once.')}${card(
  'Signing secret',
  html`${copyable(endpoint.secret, 'Copy the signing secret')}<p class="small soft">Deliveries are signed as in Standard Webhooks. Check the signature with it before you trust an event. After a rotation, the old secret also signs for ${LIMITS.webhookSecretGraceHours} hours.</p>`,
)}<div class="actions">${linkButton('Done', endpointPath(endpoint), { kind: 'primary' })}</div>`,
  });
}
