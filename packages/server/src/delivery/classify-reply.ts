import type { Classification } from '@postrider/core';
import type { ServerReply } from './transport.ts';

export type { Classification };

/**
 * Classifies the reply that ended a delivery: by its enhanced status code (RFC 3463), else by its words.
 *
 * Only `hard` and `spam` suppress an address. So nothing is `hard` on doubt, and nothing here is `spam`: that is said by
 * complaints alone.
 *
 * @param reply the last one, or null where the network failed or a rule of ours decided.
 * @param kind `refused` by the server, or `expired` after attempts that were all put off.
 */
export function classifyReply(reply: ServerReply | null, kind: 'refused' | 'expired'): Classification {
  const isTemporary = kind === 'expired' || (reply !== null && reply.code < 500);
  if (reply === null) return isTemporary ? 'soft' : 'unknown';
  const byWords = classifyWords(reply.text);
  const byCode = classifyEnhancedCode(reply.enhanced) ?? classifyCode(reply.code);
  const verdict = weigh(byCode, byWords, reply.text);
  if (verdict === 'hard') return isTemporary ? 'soft' : reply.aboutRecipient === false ? 'unknown' : 'hard';
  return verdict ?? (isTemporary ? 'soft' : 'unknown');
}

/**
 * The code goes first. Two exceptions: a code that means "no such address" while the words speak of something else is
 * not believed, since many servers put 5.1.1 before every refusal; and greylisting, which asks for patience under the
 * codes of policy, blocks nobody.
 */
function weigh(byCode: Classification | null, byWords: Classification | null, text: string): Classification | null {
  if (byCode === 'hard') return byWords ?? 'hard';
  if (byCode === 'block' && GREYLISTING.test(text)) return 'soft';
  return byCode ?? byWords;
}

const GREYLISTING = /gr[ea]y-?list/i;

function classifyEnhancedCode(enhanced: string | null): Classification | null {
  const [, subject, detail] = enhanced?.split('.') ?? [];
  switch (subject) {
    case '1':
      return BAD_DESTINATION_DETAILS.has(detail ?? '') ? 'hard' : null;
    case '2':
      // 2.1 mailbox disabled; 2.2 mailbox full.
      return detail === '1' ? 'hard' : detail === '2' ? 'soft' : null;
    case '3':
      // 3.1 mail system full.
      return detail === '1' ? 'soft' : null;
    case '4':
      // Microsoft 365 gives 4.1 for unknown recipients and for domains that are set up wrongly alike.
      if (detail === '1') return 'unknown';
      return SOFT_NETWORK_DETAILS.has(detail ?? '') ? 'soft' : null;
    case '7':
      return 'block';
    default:
      return null;
  }
}

// 1 no such mailbox, 2 no such system, 3 no such syntax, 4 ambiguous, 6 moved away, 10 null MX (RFC 7505). Not 0, which
// means "something about an address", nor 7 and 8, which are about the sender's.
const BAD_DESTINATION_DETAILS: ReadonlySet<string> = new Set(['1', '2', '3', '4', '6', '10']);

// 2 bad connection, 3 directory failure, 5 congestion, 7 delivery time expired.
const SOFT_NETWORK_DETAILS: ReadonlySet<string> = new Set(['2', '3', '5', '7']);

/** RFC 7504: 556 is a domain that takes no mail. The other codes say too little: 550 is any refusal. */
function classifyCode(code: number): Classification | null {
  return code === 556 ? 'hard' : null;
}

/**
 * The first that matches counts. What blocks goes first, because such replies often name the recipient as well. Words
 * that could as well be about us (an account, an IP address, a log-in) make nothing hard.
 */
const PATTERNS: readonly (readonly [RegExp, Classification])[] = [
  // Named blocklists and the words for being on one.
  [/spamhaus|barracuda|spamcop|proofpoint|sorbs|invaluement|uceprotect|cloudmark|senderscore/i, 'block'],
  [/(black|block|deny)-?list|dnsbl|\brbl\b|listed (at|by|in|on)|(is|been) blocked|blocked (by|using|for)/i, 'block'],
  // Content and reputation.
  [/\bspam|unsolicited|\buce\b|bulk mail|virus|malware|phish|reputation|suspicious/i, 'block'],
  [/content (was )?(rejected|refused|filter)/i, 'block'],
  // Authentication of the sender, and policy.
  [
    /\bspf\b|\bdkim\b|\bdmarc\b|reverse dns|\bptr\b|unauthenticated|not authori[sz]ed|authentication required/i,
    'block',
  ],
  [
    /polic(y|ies)|relay(ing)? (access )?(is )?(not permitted|denied)|unable to relay|access denied|prohibited/i,
    'block',
  ],
  // A sender that is not believed says nothing about the recipient.
  [/sender (address|domain|verify|rejected|not)|return path|invalid sender|domain of sender/i, 'unknown'],
  // Patience asked for.
  [/gr[ea]y-?list|try (again|later)|come back later|temporar(y|ily) (deferred|unavailable|rejected|failure)/i, 'soft'],
  [/too many (messages|connections|errors)|rate limit|sending rate|throttl/i, 'soft'],
  // A mailbox that exists and has no room.
  [
    /(mailbox|inbox|account|user|recipient|quota).{0,40}\b(full|exceed)|over ?quota|insufficient (system |disk )?storage/i,
    'soft',
  ],
  // No such recipient, in the words of the common servers. "Mailbox unavailable" is not here: it is RFC 5321's name for
  // every 550.
  [
    /(user|recipient|mailbox|alias|addressee)( \S{1,255})? (is )?(unknown|not found|does(n't| not) exist|invalid)/i,
    'hard',
  ],
  [
    /(recipient|destination|e-?mail) address( \S{1,255})? (is )?(unknown|not found|does(n't| not) exist|invalid)/i,
    'hard',
  ],
  [/(unknown|no such|invalid|non-?existent) (local )?(user|recipient|mailbox|person|addressee|alias)/i, 'hard'],
  [/(recipient|mailbox)( \S{1,255})? (is |has been )?(disabled|deactivated|inactive)/i, 'hard'],
  [/user does(n't| not) have an? .{0,40}account|no mailbox (here )?by that name/i, 'hard'],
  [/email account that you tried to reach does not exist/i, 'hard'],
];

function classifyWords(text: string): Classification | null {
  for (const [pattern, classification] of PATTERNS) if (pattern.test(text)) return classification;
  return null;
}
