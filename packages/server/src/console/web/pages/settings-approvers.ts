import type { findOperation, OperationOutput, Problem } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { button } from '../../../ui/components/button.ts';
import { faultOf } from '../../../ui/components/field.ts';
import { card } from '../../../ui/components/surfaces.ts';
import type { PageForm } from '../page-form.ts';
import type { PageRequest } from '../page-request.ts';
import { countField } from './approver-fields.ts';

type Approvers = OperationOutput<ReturnType<typeof findOperation<'account.get'>>>['approvers'];

/** The rules of the account about approvals: how many people, and whether with a passkey. Each has its own form. */
export function approversCard(request: PageRequest, path: string, approvers: Approvers, problem: Problem | null): Html {
  const { requirePasskey, count } = approvers;
  if (!request.may('account.update')) return card('Approvals', html`${countRow(count)}${passkeyRow(approvers)}`);
  const typed = request.form.get('approvalsNeeded') ?? String(count);
  const counting = html`<form class="stack-tight" method="post" action="${path}">${countField(typed, faultOf(problem?.errors, 'approvers.count'))}<div>${button('Save')}</div></form>`;
  const proving = requirePasskey
    ? html`<form class="stack-tight" method="post" action="${path}"><input type="hidden" name="requirePasskey" value="no"><p class="small soft">Turning this off must be confirmed with a passkey too.</p><div>${button('Require no passkey', { kind: 'danger' })}</div></form>`
    : html`<form class="stack-tight" method="post" action="${path}"><input type="hidden" name="requirePasskey" value="yes"><p class="small soft">First, each person who approves <a href="/auth/passkeys">adds a passkey</a>; later, they have to confirm their first one by email. With the rule, no one can approve, add an approver or loosen the approval of a key without one. A single key can require it too, on its page.</p><div>${button('Require a passkey')}</div></form>`;
  return card('Approvals', html`${countRow(count)}${counting}${passkeyRow(approvers)}${proving}`);
}

function countRow(count: number): Html {
  const [head, words] =
    count === 1
      ? ['One person must approve each held message.', 'A key can require more, or name its approvers, on its page.']
      : [
          `${count} people must approve each held message.`,
          'Keys cannot approve, and an edit restarts the count. One rejection is enough.',
        ];
  return html`<div class="row"><span><b>${head}</b> ${words}</span></div>`;
}

function passkeyRow({ requirePasskey, count }: Approvers): Html {
  const words = requirePasskey
    ? 'Each approval of a held message must be confirmed with a passkey of the person who approves. No key, program, session or link in a mail can approve without one.'
    : `Held messages can be approved by a signed-in person, ${count === 1 ? 'by a key with the permission, ' : ''}and by the link in a mail.`;
  return html`<div class="row"><span><b>${requirePasskey ? 'Approvals need a passkey.' : 'Approvals need no passkey.'}</b> ${words}</span></div>`;
}

/** The account's rules after a form of the card: it changes one and keeps the other. */
export function changedApprovers(form: PageForm, now: Approvers): Approvers {
  const [passkey, count] = [form.get('requirePasskey'), form.get('approvalsNeeded')];
  return {
    requirePasskey: passkey === null ? now.requirePasskey : passkey !== 'no',
    count: count === null ? now.count : Number(count),
  };
}

/** What a form of the card changed, in one sentence. */
export function approversChanged(before: Approvers, { requirePasskey, count }: Approvers): string {
  if (requirePasskey !== before.requirePasskey) {
    return requirePasskey
      ? 'Approvals need a passkey from now on. Members without one confirm their first passkey by email.'
      : 'Approvals need no passkey any more.';
  }
  return count === 1 ? 'One person must approve from now on.' : `${count} people must approve from now on.`;
}
