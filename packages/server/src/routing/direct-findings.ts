import type { SmtpFault } from '../smtp-client/smtp-fault.ts';
import type { RecipientVerdict, ServerReply } from '../smtp-client/transport.ts';
import { refuseWithoutAddress } from './mx-route.ts';

/** Why one server, or one of its addresses, accepted nothing. */
export interface Finding {
  readonly kind: 'unreachable' | 'untrusted' | 'unresolved' | 'no-address' | 'no-route' | 'forbidden';
  readonly reason: string;
  /** The server's reply, if there was one. */
  readonly reply: ServerReply | null;
}

const MAX_REASON_CHARACTERS = 1_000;

export function toFinding(fault: SmtpFault): Finding {
  const kind = fault.kind === 'tls' ? 'untrusted' : 'unreachable';
  return { kind, reason: fault.message, reply: fault.reply };
}

/** The verdict for a recipient when no server of the domain could be reached. */
export type FailedAttempt = Pick<
  RecipientVerdict,
  'outcome' | 'reply' | 'reason' | 'classification' | 'isAboutDomain' | 'isBeforeMail'
>;

/**
 * Decides what an attempt without any reply means. A retry helps if servers did not respond. It does not help with an
 * address that we may never connect to, nor if a domain without MX records has no address either. A restriction from our
 * own settings says nothing about the recipients, so the mail waits until an operator corrects the settings.
 *
 * @param isImplicit true if the domain itself was used because it has no MX records.
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
  // A domain that lists other domains' servers in its records, or demands more from them than they offer, must not stop
  // mail to those servers.
  const isAboutDomain = findings.length > 0 && !findings.some(({ kind }) => kind === 'unreachable');
  return {
    ...{ outcome: 'deferred', reply, reason },
    ...(isAboutDomain ? { isAboutDomain } : {}),
    // These findings are about servers that never saw the message.
    ...(reply === null ? {} : { isBeforeMail: true }),
  };
}

function joinReasons(domain: string, findings: readonly Finding[], isVerified: boolean): string {
  const policy = isVerified ? `The MTA-STS policy of ${domain} requires TLS with a valid certificate. ` : '';
  const reasons = [...new Set(findings.map(({ reason }) => reason))];
  const said = reasons.length === 0 ? `No mail server of ${domain} could be tried in time.` : reasons.join(' ');
  return `${policy}${said}`.slice(0, MAX_REASON_CHARACTERS);
}
