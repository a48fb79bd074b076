import { findOperation, type OperationById, type OperationOutput } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';
import { describeAttachmentHosts } from './key-text.ts';
import { line } from './message-text.ts';

const SHOWN = [
  ...['name', 'mode', 'scopes', 'recipientAllowlist', 'persona', 'expiresAt'],
  ...['sendingDomains', 'account', 'quota'],
] as const;

type OwnKey = OperationOutput<OperationById<'keys.self'>>;

/** What an agent should know before it sends: its key, the domains it may send from, what is left of the quota. */
export const getSendingContextTool = callingTool(findOperation('keys.self'), {
  shows: SHOWN,
  toRecord: pick,
  structuredNotes: [UNTRUSTED_NOTE],
  toText: describeContext,
});

/** `approvalMode`, `holdWhen`, `attachmentHosts`, `sendsLeft` and `sendingPaused` are clear from their names; omitting them from the output schema saves tokens on every connection. */
function pick(key: OwnKey) {
  const { name, mode, scopes, recipientAllowlist, persona, expiresAt, sendingDomains, account, quota } = key;
  const { sendsLeft, sendingPaused, approvalMode, holdWhen, attachmentHosts } = key;
  return {
    ...{ name, mode, scopes, recipientAllowlist, persona, expiresAt, sendingDomains, account, quota },
    ...{ sendsLeft, sendingPaused, approvalMode, holdWhen, attachmentHosts },
  };
}

function describeContext(context: ReturnType<typeof pick>, untrusted: (text: string) => string): string {
  const { mode, scopes, recipientAllowlist, persona, expiresAt, sendingDomains, quota, name, account } = context;
  const { sendsLeft, sendingPaused } = context;
  return [
    ...(sendingPaused === null ? [] : [`Nothing can be sent: the ${sendingPaused} is paused. Tell the user.`]),
    `Send from: ${sendingDomains.join(', ')}`,
    `Recipients: ${recipientAllowlist === null ? 'all' : recipientAllowlist.join(', ') || 'no one'}`,
    `Attachment URLs: ${describeAttachmentHosts(context)}`,
    `Left this month: ${quota.remaining} of ${quota.limit} recipients, until ${quota.resetsAt}`,
    ...line('Left of this key’s send limit', describeSendsLeft(sendsLeft)),
    ...describePolicy(context),
    `Scopes: ${scopes.join(', ')}`,
    ...line('Key expires', expiresAt),
    ...(mode === 'test' ? ['Test key: nothing leaves the installation.'] : []),
    ...line('Sends with source', persona?.source),
    untrusted(
      [
        `Key ${toOneLine(name)} of account ${toOneLine(account.name)}`,
        ...line('Sends as agent', persona?.agentName),
      ].join('\n'),
    ),
  ].join('\n');
}

/** The rules that are on: false and null hold nothing. */
function describePolicy({ approvalMode, holdWhen }: Pick<OwnKey, 'approvalMode' | 'holdWhen'>): string[] {
  if (approvalMode === 'off') return [];
  const rules = Object.entries(holdWhen ?? {}).filter(([, value]) => value !== false && value !== null);
  const which =
    approvalMode === 'always' || holdWhen === null
      ? 'Every send'
      : `Sends that match ${rules.map(([name, value]) => (value === true ? name : `${name} ${JSON.stringify(value)}`)).join(' or ') || 'nothing'}`;
  return [`Approval: ${which} waits until an approver decides.`];
}

function describeSendsLeft(left: OwnKey['sendsLeft']): string | null {
  if (left === null) return null;
  const { hour, day } = left;
  return [
    ...(hour === null ? [] : [`${hour} messages in this hour`]),
    ...(day === null ? [] : [`${day} messages on this day`]),
  ].join(', ');
}
