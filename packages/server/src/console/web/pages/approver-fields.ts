import { type Approvers, LIMITS } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { checkbox, faultOf, select } from '../../../ui/components/field.ts';
import type { PageForm } from '../page-form.ts';
import type { PageRequest } from '../page-request.ts';

/** A member who can approve, as a form lists them. */
export interface ListedApprover {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

const DECIDING_ROLES: readonly string[] = ['owner', 'admin', 'approver'];

/** The members who can approve held sends, if the role of the user may see the team. */
export async function readListedApprovers(request: PageRequest): Promise<readonly ListedApprover[]> {
  const team = request.may('team.list') ? await request.attempt('team.list') : null;
  if (team?.ok !== true) return [];
  return team.body.members
    .filter(({ role, status }) => status === 'active' && DECIDING_ROLES.includes(role))
    .map(({ id, name, email, role }) => ({ id, name: name === null ? email : `${name} (${email})`, role }));
}

/** Who approves what a key sends, how many of them, and whether with a passkey. */
export function approverFields(
  form: PageForm,
  listed: readonly ListedApprover[],
  errors: Parameters<typeof faultOf>[0],
): Html {
  const ticked = new Set(form.all('approver'));
  const gone = [...ticked].filter((id) => !listed.some((one) => one.id === id));
  const former = gone.map((id) => ({ id, name: `A member who can no longer approve (${id})`, role: '' }));
  const boxes = [...listed, ...former].map(({ id, name, role }) =>
    checkbox({ name: 'approver', value: id, label: name, hint: role, isChecked: ticked.has(id) }),
  );
  const fault = faultOf(errors, 'approvers.memberIds');
  const people =
    boxes.length === 0
      ? null
      : html`<fieldset><legend>Only these people can approve</legend>${fault === null ? null : html`<span class="fault" role="alert">${fault}</span>`}<p class="small soft">Only they get the mail about its messages. If you tick no one, every owner, admin and approver can approve.</p>${boxes}</fieldset>`;
  return html`${countField(form.get('approvalsNeeded'), faultOf(errors, 'approvers.count'))}${people}
${checkbox({ name: 'requirePasskey', label: 'An approval needs a passkey of the person who approves', hint: 'Then no stolen session, key or link in a mail can approve. The account can require it for all keys.', isChecked: form.has('requirePasskey') })}`;
}

/** How many people must approve. */
export function countField(value: string | null, fault: string | null): Html {
  const options = Array.from({ length: LIMITS.approversPerHold }, (_, index) => ({
    value: String(index + 1),
    label: index === 0 ? '1 person' : `${index + 1} people`,
  }));
  return select({
    ...{ name: 'approvalsNeeded', label: 'How many people must approve', value: value ?? '1', options, fault },
    hint: 'With 2 or more, keys cannot approve, and an edit restarts the count. One rejection is enough.',
  });
}

/** The setting as the form states it; null for nothing more than the rules of the account. */
export function approversOf(form: PageForm): Approvers | null {
  const memberIds = [...form.all('approver')];
  const given = {
    requirePasskey: form.has('requirePasskey'),
    count: Number(form.get('approvalsNeeded') ?? '1'),
    memberIds: memberIds.length === 0 ? null : memberIds,
  };
  return given.requirePasskey || given.count !== 1 || given.memberIds !== null ? given : null;
}

/** A stored setting as the fields of the form. */
export function fieldsOfApprovers(approvers: Approvers | undefined): readonly (readonly [string, string])[] {
  if (approvers === undefined) return [];
  const { requirePasskey, count, memberIds } = approvers;
  return [
    ...(requirePasskey ? [['requirePasskey', 'true'] as const] : []),
    ['approvalsNeeded', String(count)],
    ...(memberIds ?? []).map((id) => ['approver', id] as const),
  ];
}
