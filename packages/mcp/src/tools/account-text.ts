import { findOperation, type OperationById, type OperationOutput } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { line } from './message-text.ts';

export const getAccountTool = callingTool(findOperation('account.get'), { toText: describeAccount });
export const updateAccountTool = callingTool(findOperation('account.update'), { toText: describeAccount });
export const pauseAccountTool = callingTool(findOperation('account.pause'), { toText: describeAccount });
export const resumeAccountTool = callingTool(findOperation('account.resume'), { toText: describeAccount });

type Account = OperationOutput<OperationById<'account.get'>>;

function describeAccount(account: Account, untrusted: (text: string) => string): string {
  const { domains, seats, pausedAt, deletionScheduledAt } = account;
  const stated = (isOn: boolean) => (isOn ? 'on' : 'off');
  return [
    `Account ${account.id}, plan ${account.plan}, reputation ${account.reputationLevel}`,
    `Used this month: ${account.monthlyUsed} of ${account.monthlyQuota} recipients, until ${account.quotaResetsAt}`,
    `Domains: ${domains.used} of ${domains.limit}; seats: ${seats.used} of ${seats.limit}`,
    `Open tracking ${stated(account.trackOpens)}, click tracking ${stated(account.trackClicks)}`,
    `Content of messages is stored for ${account.retentionDays} days`,
    ...line('Nothing is sent: paused since', pausedAt),
    ...line('The account is deleted at', deletionScheduledAt),
    untrusted(`Name: ${account.name}`),
  ].join('\n');
}
