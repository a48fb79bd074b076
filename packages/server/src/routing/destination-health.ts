import type { RecipientVerdict, ServerReply } from '../smtp-client/transport.ts';

/**
 * What an attempt says about its destination. `clean`: a server replied normally, whether or not it took the message. `throttled`: it asked for
 * less. `turned-away`: it rejected the connection before MAIL. `unreachable`: no server replied to the end. `unknown`: no server was asked, or
 * the error was ours.
 */
export type DestinationHealth = 'clean' | 'throttled' | 'turned-away' | 'unreachable' | 'unknown';

export function healthOf(verdicts: readonly RecipientVerdict[]): DestinationHealth {
  if (verdicts.some(isRejectedBeforeMail)) return 'turned-away';
  if (verdicts.some(({ reply }) => reply !== null && asksForLess(reply))) return 'throttled';
  if (verdicts.some(({ reply, outcome }) => reply !== null || outcome === 'accepted')) return 'clean';
  return verdicts.some(isSilent) ? 'unreachable' : 'unknown';
}

/** RFC 5321, section 3.1: a server greets with 554 when it does not accept mail from us, and with 421 when it is overloaded. */
function isRejectedBeforeMail({ isBeforeMail, isAboutDomain }: RecipientVerdict): boolean {
  return isBeforeMail === true && isAboutDomain !== true;
}

/** A rejection without a reply is from one of our rules or from DNS: no server was tried. */
function isSilent({ outcome, costsNoAttempt, isAboutDomain, isOurFault }: RecipientVerdict): boolean {
  return outcome === 'deferred' && costsNoAttempt !== true && isAboutDomain !== true && isOurFault !== true;
}

/**
 * RFC 3463: policy (4.7.x, which providers use for rate limits), too many recipients (4.5.3), system not accepting
 * messages (4.3.2) and congestion (4.4.5). RFC 5321, section 3.8: 421 means that the server is closing the connection
 * because of its load.
 */
function asksForLess({ code, enhanced }: ServerReply): boolean {
  return code === 421 || (enhanced !== null && /^4\.(7\.\d+|5\.3|3\.2|4\.5)$/.test(enhanced));
}
