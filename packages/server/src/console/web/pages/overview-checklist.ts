import type { findOperation, OperationOutput } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { linkButton } from '../../../ui/components/button.ts';
import { card } from '../../../ui/components/surfaces.ts';

type Checklist = OperationOutput<ReturnType<typeof findOperation<'account.checklist'>>>;

/** Where the console performs each step, and what the link says. */
const STEPS: Readonly<Record<string, { readonly label: string; readonly href: string }>> = {
  key_used: { label: 'View your keys', href: '/console/keys' },
  first_message_sent: { label: 'Send a test message', href: '/console/messages/send' },
  first_message_delivered: { label: 'View the messages', href: '/console/messages' },
  domain_added: { label: 'Add a domain', href: '/console/domains/add' },
  domain_verified: { label: 'Verify a domain', href: '/console/domains' },
  restricted_key_made: { label: 'Create a key', href: '/console/keys/create' },
  template_stored: { label: 'Create a template', href: '/console/templates/create' },
};

/** The steps that are not completed; nothing once all are. */
export function checklistCard(
  { items, completed, total }: Checklist,
  account: { readonly sandboxDomain: string },
): Html {
  if (completed === total) return html``;
  const open = items.filter(({ done }) => !done).map(openRow);
  const done = items.filter((item) => item.done).map(({ label }) => html`<li>${label}</li>`);
  return card(
    `Setup: ${completed} of ${total} steps completed`,
    html`<ul class="plain">${open}</ul>${done.length === 0 ? null : html`<details><summary>Show completed steps</summary><ul>${done}</ul></details>`}
<p class="small faint">Addresses at ${account.sandboxDomain} are for testing: mail to them never leaves this server.</p>`,
  );
}

function openRow({ id, label }: Checklist['items'][number]): Html {
  const step = STEPS[id];
  const link = step === undefined ? null : linkButton(step.label, step.href, { isSmall: true });
  return html`<li class="row"><span class="badge">To do</span><span>${label}</span><span class="end">${link}</span></li>`;
}
