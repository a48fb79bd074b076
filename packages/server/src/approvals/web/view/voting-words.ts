import { type Approval, votesInWords } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { revealed } from '../../../ui/components/revealed-text.ts';
import { notice } from '../../../ui/components/surfaces.ts';
import { editedInWords } from './decided-words.ts';
import type { HeldView, Voting } from './shown-hold.ts';

/** Whether the viewer can approve it now: one of those who can, who has not done so. */
export function canApprove({ voting }: Pick<HeldView, 'voting'>): boolean {
  return voting.mayApprove && !voting.hasVoted;
}

/** Above the message, where several people must approve, or only those that the key names. */
export function votingNotice({ approval, voting }: HeldView): Html | null {
  const progress = votesInWords(approval);
  if (progress === null && voting.approvers === null) return null;
  const { hasVoted, mayApprove, voters } = voting;
  const title = hasVoted ? 'You approved it' : (progress ?? 'Only named approvers can approve it');
  const parts = [
    hasVoted ? html`${progress ?? ''} ` : null,
    votersInWords(voters),
    approversInWords(voting),
    approval.edited.length === 0 ? null : html` It was edited since it was held: ${editedInWords(approval.edited)}.`,
  ].filter((part) => part !== null);
  return notice(mayApprove ? 'info' : 'warn', title, parts.length === 0 ? null : html`${parts}`);
}

function votersInWords(voters: readonly string[]): Html | null {
  const others = voters.filter((name) => name !== YOU);
  return others.length === 0 ? null : html`Approved by ${listed(others)}. `;
}

function approversInWords({ approvers, mayApprove }: Voting): Html | null {
  if (approvers === null) return null;
  const names = approvers.length === 0 ? html`none of them is still in the team` : listed(approvers);
  return html`Its key names the approvers: ${names}.${mayApprove ? null : ' You can still reject it.'}`;
}

function listed(names: readonly string[]): Html {
  return html`${names.map((name, index) => html`${index === 0 ? null : ', '}${revealed(name)}`)}`;
}

/** How the viewer is called in a list of voters. */
export const YOU = 'You';

/** The label of the button that approves. Only the last approval sends. */
export function approveLabel({ approvers: { count }, votes }: Approval): string {
  return count > 1 && votes.length + 1 < count ? `Approve (${votes.length + 1} of ${count})` : 'Approve and send';
}

/** What an edit does where several people must approve. */
export function editingClears({ approvers: { count }, votes }: Approval): string {
  const more = count - 1;
  const cleared = votes.length === 0 ? '' : ' Earlier approvals will no longer count.';
  return `The message will not be sent yet: ${more} more ${more === 1 ? 'person' : 'people'} must approve your version.${cleared}`;
}

export function rememberHint({ approvers: { count } }: Approval): string {
  const all = count > 1 ? ' Everyone who approves must tick it.' : '';
  return `Messages of this key to them no longer wait because they are new or outside its domains.${all}`;
}
