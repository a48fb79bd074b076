import type { FindingCode } from '@postrider/core';
import type { DnsResolver } from '../../dns/dns-resolver.ts';
import { type ComposedMessage, composeMime, joinMessage } from '../../mime/compose-mime.ts';
import type { Blocklists, BlocklistVerdict } from '../blocklists.ts';
import type { BoundedLookups } from '../bounded-lookups.ts';
import type { Findings } from '../findings.ts';
import { organizationalDomain } from '../organizational-domain.ts';
import type { SpamdClient } from '../spamd-client.ts';
import { describeUnqueried } from '../unqueried-lists.ts';
import type { PlacedMessage } from './placed-message.ts';
import type { PlacementRecord } from './placement-record.ts';

type Found = Findings<FindingCode<'inbox-placement'>>;
type ListedCode = 'inbox_link_listed' | 'inbox_sender_listed';

/** Legitimate messages never need more. */
const MAX_HOSTS = 10;

/** What to look up in blocklists. */
export interface ListedCandidates {
  readonly linkHosts: readonly string[];
  readonly senderDomain: string | null;
  readonly address: string | null;
}

/** Looks up the sender and the link domains in the blocklists. */
export async function queryBlocklists(
  dns: DnsResolver,
  blocklists: Blocklists,
  { linkHosts, senderDomain, address }: ListedCandidates,
  records: PlacementRecord[],
  findings: Found,
): Promise<void> {
  const take = (target: string, code: ListedCode, verdicts: readonly BlocklistVerdict[]) => {
    for (const { list, status, reason } of verdicts) {
      if (status === 'not_listed') continue;
      records.push({
        type: 'BLOCKLIST',
        name: target,
        value: status,
        detail: `${list}${reason === null ? '' : `: ${reason}`}`,
      });
      if (status === 'listed') findings.add(code, `${target} is on ${list}.`);
    }
  };
  const domain = async (name: string, code: ListedCode) => {
    const verdicts = await blocklists.askForDomain(dns, [...new Set([name, organizationalDomain(name)])]);
    return { target: name, code, verdicts };
  };
  const sender = async (target: string) => {
    const verdicts = await blocklists.askForAddress(dns, target);
    return { target, code: 'inbox_sender_listed' as const, verdicts };
  };
  const asked = await Promise.all([
    ...linkHosts.slice(0, MAX_HOSTS).map((host) => domain(host, 'inbox_link_listed')),
    ...(senderDomain === null ? [] : [domain(senderDomain, 'inbox_sender_listed')]),
    ...(address === null ? [] : [sender(address)]),
  ]);
  for (const { target, code, verdicts } of asked) take(target, code, verdicts);
  const unasked = describeUnqueried(asked.flatMap(({ verdicts }) => verdicts));
  if (unasked !== null) findings.add('inbox_lists_could_not_check', unasked);
}

/** Lets SpamAssassin rate the message, if the installation has one. */
export async function querySpamd(
  spamd: SpamdClient | null,
  message: PlacedMessage,
  { signal }: BoundedLookups,
  now: Date,
  findings: Found,
): Promise<readonly PlacementRecord[]> {
  if (spamd === null) return [];
  const verdict = await spamd.judge(message.raw ?? compose(message, now), signal);
  if (!verdict.ok) {
    findings.add('inbox_spamd_could_not_check', `${verdict.reason}.`);
    return [];
  }
  const { isSpam, score, threshold, rules } = verdict;
  const scoreText = `${score} of ${threshold}`;
  const particulars = `The score is ${scoreText}${rules.length === 0 ? '' : `: ${rules.join(', ')}`}.`;
  findings.add(isSpam ? 'inbox_spamd_spam' : 'inbox_spamd_ham', particulars);
  return [{ type: 'SPAMD', name: 'spamd', value: scoreText, detail: rules.join(', ') }];
}

/** The message with plausible headers, so that rules about missing headers do not apply. */
function compose({ from, subject, html, text }: PlacedMessage, now: Date): Buffer {
  const sender = { name: null, address: from?.address ?? 'sender@invalid.example' };
  const composed: ComposedMessage = composeMime({
    messageId: `estimate@${from?.domain ?? 'invalid.example'}`,
    date: now,
    from: sender,
    to: [sender],
    cc: [],
    replyTo: [],
    subject: subject ?? '',
    text,
    html,
    headers: [],
    boundarySeed: 'estimate',
  });
  return joinMessage(composed, []);
}
