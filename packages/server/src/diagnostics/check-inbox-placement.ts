import type { Blocklists } from './blocklists.ts';
import type { BoundedLookups } from './bounded-lookups.ts';
import { createFindings } from './findings.ts';
import { authenticateMessage } from './placement/authenticate-message.ts';
import { inspectHtml } from './placement/inspect-html.ts';
import { judgeContent } from './placement/judge-content.ts';
import { judgeHeaders, judgeSubject, judgeUnsubscribe } from './placement/judge-headers.ts';
import { judgeLinks, linksOfText } from './placement/judge-links.ts';
import type { PlacedMessage } from './placement/placed-message.ts';
import type { PlacementRecord } from './placement/placement-record.ts';
import { queryBlocklists, querySpamd } from './placement/query-reputation.ts';
import { queryPublicNames } from './public-names.ts';
import type { SpamdClient } from './spamd-client.ts';

export interface PlacementTools {
  readonly lookups: BoundedLookups;
  readonly blocklists: Blocklists;
  /** Null if none is configured. */
  readonly spamd: SpamdClient | null;
  readonly now: Date;
  /** Whether the sender's records are only looked up in the public DNS. */
  readonly isPublicOnly: boolean;
}

/**
 * Estimates whether a message reaches the inbox. Never throws.
 * @param ip the address that sent it, if the caller provides it.
 */
export async function checkInboxPlacement(message: PlacedMessage, ip: string | null, tools: PlacementTools) {
  const { lookups, blocklists, spamd, now, isPublicOnly } = tools;
  const senderDns = isPublicOnly ? queryPublicNames(lookups.dns) : lookups.dns;
  const findings = createFindings('inbox-placement');
  const records: PlacementRecord[] = [];
  findings.add('inbox_estimate');
  judgeHeaders(message, now, findings);
  judgeUnsubscribe(message, findings);
  judgeSubject(message, findings);
  const inspected = message.html === null ? null : inspectHtml(message.html);
  judgeContent(message, inspected, findings);
  const linkHosts = judgeLinks([...(inspected?.links ?? []), ...linksOfText(message.text ?? '')], findings);
  const senderDomain = message.from?.domain ?? null;
  const [scored] = await Promise.all([
    querySpamd(spamd, message, lookups, now, findings),
    authenticateMessage(senderDns, message, ip, records, findings).then((address) =>
      queryBlocklists(lookups.dns, blocklists, { linkHosts, senderDomain, address }, records, findings),
    ),
  ]);
  return { records: [...records, ...scored], findings: findings.list() };
}
