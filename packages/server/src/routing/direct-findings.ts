import type { SmtpFault } from '../smtp-client/smtp-fault.ts';
import type { RecipientVerdict, ServerReply } from '../smtp-client/transport.ts';
import { refuseWithoutAddress } from './mx-route.ts';

/** Why one server, or one address of it, took nothing. */
export interface Finding {
  readonly kind: 'unreachable' | 'untrusted' | 'unresolved' | 'no-address' | 'no-route' | 'forbidden';
  readonly reason: string;
  /** What the server said, where it said something. */
  readonly reply: ServerReply | null;
}

const MAX_REASON_CHARACTERS = 1_000;

export function toFinding(fault: SmtpFault): Finding {
  const kind = fault.kind === 'tls' ? 'untrusted' : 'unreachable';
  return { kind, reason: fault.message, reply: fault.reply };
}

/** What is said of a recipient whom no server of the domain could be asked about. */
export type FailedAttempt = Pick<
  RecipientVerdict,
  'outcome' | 'reply' | 'reason' | 'classification' | 'isAboutDomain' | 'isBeforeMail'
>;

/**
 * What a whole attempt without an answer means. Another attempt helps against silence; it does not against an address that we may never
 * connect to, nor where a domain without MX records has no address either. What a setting of ours keeps us from says nothing about the
 * recipients, and waits: the setting may be mended.
 *
 * @param isImplicit true where the domain itself stood in for its missing MX records.
 */
export function concludeFindings(
  domain: string,
  findings: readonly Finding[],
  { isImplicit, isVerified }: { readonly isImplicit: boolean; readonly isVerified: boolean },
): FailedAttempt {
  const isOnly = (kind: Finding['kind']) => findings.length > 0 && findings.every((finding) => finding.kind === kind);
  const reason = joinReasons(domain, findings, isVerified);
  if (isOnly('forbidden')) return { outcome: 'refused', reply: null, reason, classification: 'unknown' };
  if (isImplicit && isOnly('no-address')) {
    const refusal = refuseWithoutAddress(domain);
    return { outcome: 'refused', reply: null, reason: refusal.reason, classification: refusal.classification };
  }
  const reply = findings.find((finding) => finding.reply !== null)?.reply ?? null;
  // Whoever names servers of others in their records, or demands more of them than they offer, is not to stop the mail of those.
  const isAboutDomain = findings.length > 0 && !findings.some(({ kind }) => kind === 'unreachable');
  return {
    ...{ outcome: 'deferred', reply, reason },
    ...(isAboutDomain ? { isAboutDomain } : {}),
    // Findings are of servers that could not be asked about the message.
    ...(reply === null ? {} : { isBeforeMail: true }),
  };
}

function joinReasons(domain: string, findings: readonly Finding[], isVerified: boolean): string {
  const policy = isVerified ? `The MTA-STS policy of ${domain} demands TLS with a good certificate. ` : '';
  const reasons = [...new Set(findings.map(({ reason }) => reason))];
  const said = reasons.length === 0 ? `No mail server of ${domain} was tried in time.` : reasons.join(' ');
  return `${policy}${said}`.slice(0, MAX_REASON_CHARACTERS);
}
