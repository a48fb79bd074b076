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
  const verdict = weigh(byCode, byWords);
  if (verdict === 'hard') return isTemporary ? 'soft' : reply.aboutRecipient === false ? 'unknown' : 'hard';
  return verdict ?? (isTemporary ? 'soft' : 'unknown');
}

/**
 * The code goes first. Two exceptions: a code that means "no such address" while the words speak of something else is
 * not believed, since many servers put 5.1.1 before every refusal; and greylisting, which asks for patience under the
 * codes of policy, blocks nobody.
 */
function weigh(byCode: Classification | null, byWords: Classification | null): Classification | null {
  if (byCode === null) return byWords;
  const contradicts = byWords !== null && byWords !== byCode;
  if (byCode === 'hard' && contradicts) return byWords;
  return byCode === 'block' && byWords === 'soft' ? 'soft' : byCode;
}

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
      // 4.1 is not here: Microsoft 365 gives it for unknown recipients and for domains that are set up wrongly alike.
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

/** The first that matches counts. What blocks goes first, because such replies often name the recipient as well. */
const PATTERNS: readonly (readonly [RegExp, Classification])[] = [
  // Patience asked for, under whatever code.
  [/gr[ea]y-?list|try (again|later)|temporar(y|ily) (deferred|unavailable|rejected|failure)|come back later/i, 'soft'],
  // Named blocklists and the words for being on one.
  [/spamhaus|barracuda|spamcop|proofpoint|sorbs|invaluement|uceprotect|cloudmark|senderscore/i, 'block'],
  [
    /black-?list|block-?list|deny-?list|dnsbl|\brbl\b|listed (at|by|in|on)|is blocked|been blocked|blocked (by|using|for)/i,
    'block',
  ],
  // Content and reputation.
  [
    /\bspam|unsolicited|\buce\b|bulk mail|virus|malware|phish|reputation|suspicious|content (rejected|refused|filter)/i,
    'block',
  ],
  // Authentication of the sender, and policy.
  [
    /\bspf\b|\bdkim\b|\bdmarc\b|reverse dns|\bptr\b|unauthenticated|not authori[sz]ed|authentication required/i,
    'block',
  ],
  [
    /polic(y|ies)|relay(ing)? (access )?(is )?(not permitted|denied)|unable to relay|access denied|administrative(ly)? prohibit/i,
    'block',
  ],
  [/too many (messages|connections|errors)|rate limit|sending rate|throttl/i, 'block'],
  // A sender that is not believed says nothing about the recipient.
  [/sender (address|domain|verify|rejected|not)|return path|invalid sender|domain of sender/i, 'unknown'],
  // A mailbox that exists and has no room.
  [
    /(mailbox|inbox|account|user|recipient|quota).{0,40}\b(full|over ?quota|exceed)|over ?quota|quota exceeded|insufficient (system |disk )?storage/i,
    'soft',
  ],
  // No such recipient, in the words of the common servers. "Mailbox unavailable" is not here: it is RFC 5321's name for
  // every 550.
  [
    /(user|recipient|mailbox|account|address|alias|addressee)( \S{1,255})? (is )?(unknown|not found|does ?n[o']t exist|not exist|invalid)/i,
    'hard',
  ],
  [/(unknown|no such|invalid|non-?existent) (local )?(user|recipient|mailbox|account|person|addressee|alias)/i, 'hard'],
  [
    /(user|recipient|mailbox|account)( \S{1,255})? (is |has been )?(disabled|deactivated|inactive|closed|suspended|terminated)/i,
    'hard',
  ],
  [
    /does not have an? .{0,40}(account|mailbox)|no mailbox (here )?by that name|email account that you tried to reach does not exist/i,
    'hard',
  ],
];

function classifyWords(text: string): Classification | null {
  for (const [pattern, classification] of PATTERNS) if (pattern.test(text)) return classification;
  return null;
}
