import type { Classification } from '@postrider/core';

/**
 * What the words of a refusal say. Three of the findings are stronger than their classification alone, because they outweigh a code that
 * speaks of policy: `absent` (hard) says outright that there is no such recipient, `oversize` (unknown) that the message is too big, and
 * `patience` (soft) asks to be tried again.
 */
export type WordFinding = Classification | 'absent' | 'oversize' | 'patience';

/**
 * The first that matches counts, so the order is the rule: what blocks goes before what names the recipient, since such replies often do both,
 * and what speaks of the sender goes before what says that somebody does not exist.
 *
 * Every repetition is bounded, and so is the text, so that none takes long. The rules are measured over test/delivery/reply-corpus, a third of
 * which no rule is made from.
 */
export const REPLY_PATTERNS: readonly (readonly [RegExp, WordFinding])[] = [
  // A server that leaves open which of the two it is.
  [/(unavailable|not found|unknown) or (access|permission) denied/i, 'unknown'],
  // A mailbox that was given up. Some servers call it blocked.
  [/\b(mailbox|account|user|recipient)\b.{0,40}\bdue to inactivity/i, 'hard'],

  // Named blocklists and filters, the words for being on a list, and the marks that Cox and Charter (AUP#) and T-Online (BL) put there.
  [/spamhaus|barracuda|spamcop|proofpoint|sorbs|invaluement|uceprotect|cloudmark|senderscore/i, 'block'],
  [/(black|block|deny)[- ]?list|dnsbl|\brbl\b|(?<!not )listed (at|by|in|on)|\bblock(ed|ing)\b|\bAUP#|\(BL\)/i, 'block'],
  [/\bblack (ip|mail|sender|address)\b|\b(banned|blackholed)\b|dynamic ip|dial-?up|\bRTR:/i, 'block'],
  [/\bno access\b|not welcome|go away|\bip (check|address (rejected|refused))/i, 'block'],
  // Content and reputation. Orange's 506 is its mark for spam.
  [
    /spam|too many (same|similar|identical|duplicate)|unsolicited|\bu[bc]e\b|bulk mail|junk ?mail|virus|malware|phish|spoof|reputation|suspicious|suspected|forge|fraud|harvest|dictionary attack|\bofr_506\b/i,
    'block',
  ],
  [
    /content (was |is )?(reject|refused|denied|filter)|(rejected|refused) by .{0,40}\b(rule|filter)|MIME\/REJECT/i,
    'block',
  ],
  [/(invalid|missing|malformed) headers?|\bheader error|\b(message|mail) is malformed\b/i, 'block'],
  [/\b(unsafe|forbidden|dangerous|harmful|illegal|bad|executable) (content|attachment|file|extension)/i, 'block'],
  // What the recipients themselves do not want.
  [/(rejected|refused) by (the )?(recipient|user)|\buser (has )?(refused|declined)\b/i, 'block'],
  // The sender's authentication, and the name of the sending host.
  [/\bspf\b|\bdkim\b|\bdmarc\b|reverse (dns|lookup)|\br?ptr\b|\brdns\b|(un|not )authenticated/i, 'block'],
  [/(authentication|tls|encryption) (is )?required|smtp authentication|must issue a starttls/i, 'block'],
  [/mismatch(es)? .{0,20}\bip\b|cannot find your (reverse )?host ?name/i, 'block'],
  // Policy.
  [
    /polic(y|ies)|\b(is|was|been|access|permission|connection) denied|denied by|\bdenies\b|prohibit|unauthori[sz]ed/i,
    'block',
  ],
  [/not (authori[sz]ed|permitted)|(?<!mailbox name )not allowed|(white|allow(ed)?)[- ]?list|\babuse\b/i, 'block'],
  // Relaying, but not the name of a host, nor the relay=… of some servers' notes.
  [
    /\bopen ?relay|\brelay(ing)?\b(?!=|[-.]\w| recipient table| sending limit)|allowed rcpthosts|not a gateway|local users? only/i,
    'block',
  ],

  // A sender that is not believed says nothing about the recipient.
  [/sender (address|domain|verify|rejected|not)|return path|invalid sender|domain of sender/i, 'unknown'],
  // Nor does the size of a message.
  [/(message|mail|attachment|header)s?\b.{0,40}\b(size|too (big|large|long))\b/i, 'oversize'],

  [/gr[ea]y-?list|(try|retry) (again )?(later|in \d)|come back later|\btemporar(y|ily)\b/i, 'patience'],
  // A limit that will be over, and a system that has trouble.
  [/\brate[- ]limit|(sending|relay|frequency) (rate|limit|quota)|throttl/i, 'patience'],
  [/too many (messages|connections|errors)/i, 'soft'],
  [/receiving (e-?mail|mail|messages) (too quickly|at a rate)|\btimed? ?out\b|\b(too|server) busy\b|overload/i, 'soft'],
  // A mailbox that exists and has no room.
  [
    /\b(mailbox|inbox|account|user|recipient|quota)\b.{0,40}\b(full|exceed)|\bfull (mailbox|inbox)\b|over ?quota|quota violat|exceed\w* .{0,30}quota/i,
    'soft',
  ],
  [
    /\b(exceeded|insufficient|exhausted|out of|not enough) (\w{1,20} )?(storage|disk|space|memory|resources)\b/i,
    'soft',
  ],
  // An account that may come back, and is not ours.
  [
    /(?<!your )\b(user|mailbox|account|recipient)\b( \S{1,255})?( status)?( is| has been| was| currently){0,2} (suspended|locked|frozen|expired)\b/i,
    'soft',
  ],
  [/\b(suspended|locked|frozen|expired) (user|mailbox|account|recipient)\b/i, 'soft'],

  // Whatever else speaks of the sending side: that somebody does not exist may be said of the sender.
  [
    /\b(sender|sending|originator|envelope[- ]from|mail from|(return|reverse)[- ](path|address)|from address)\b/i,
    'unknown',
  ],
  [/\byour (ip|domain|address|e-?mail address|mailbox|account|host|helo)\b|\b(helo|ehlo)\b|client host/i, 'unknown'],
  // Nor is a log-in that failed a recipient.
  [/user ?(name)? or (bad )?password/i, 'unknown'],

  // No such recipient, in the words of the common servers. "Mailbox unavailable" is not here: it is RFC 5321's name for every 550.
  [
    /\b(user|recipient|mailbox|alias|addressee)( \S{1,255}){0,3}? (is )?(unknown|not (found|known)|invalid|(does(n't| not?)|not|no longer) exists?)\b(?!-)/i,
    'absent',
  ],
  [/\b(recipients|users|addresses) (are )?(unknown|invalid|not found)\b/i, 'absent'],
  [/\bdomain (does(n't| not)|never) accepts? (any )?(e-?mail|mail)\b/i, 'absent'],
  [
    /\b(recipient|destination|e-?mail) (address|account)( \S{1,255}){0,6}? (is )?(unknown|not (found|known)|invalid|(does(n't| not?)|not|no longer) exists?)\b(?!-)/i,
    'absent',
  ],
  [
    /\b(unknown|no such|invalid|non-?existent)[- ](local )?(user|recipient|mailbox|person|addressee|alias|local[- ]part|e-?mail address|rcpt ?to)\b/i,
    'absent',
  ],
  [/\b(is )?not a (valid|known) (e-?mail address|user|mailbox|recipient)\b|\bunrout(e)?able address\b/i, 'absent'],
  [
    /user does(n't| not) have an? .{0,40}account|no mailbox (here )?by that name|not listed in .{0,40}directory/i,
    'absent',
  ],
  [
    /\bno such (e-?mail )?(address|account)\b|\bthere is no (such )?(user|mailbox|account)\b|\breserved by rfc ?2606/i,
    'absent',
  ],
  [/not our customer|\b(user|recipient) not a member\b/i, 'absent'],
  // No such domain.
  [/\bhost unknown\b|host or domain name not found|\bNXDOMAIN\b/i, 'absent'],
  [
    /\b(recipient|destination|dns) domain( \S{1,255})? (is )?(unknown|not found|(does(n't| not)|no longer) exists?)\b/i,
    'absent',
  ],
  // A mailbox that is no more. An account could be ours, which may not send.
  [
    /(?<!smtp )\b(user|recipient|mailbox|account)( \S{1,255})?( is| has been| was| now){0,2} (disabled|deactivated|inactive|closed|discontinued|deleted|terminated)\b(?!.{0,20}\boutgoing)/i,
    'hard',
  ],
  [/\b(disabled|deactivated|inactive) (user|recipient|mailbox|mbox|account)\b/i, 'hard'],
  [
    /(^|>|@) ?is (now |currently )?(disabled|deactivated|inactive)\b|\bno longer valid\b|not found or inactivated/i,
    'hard',
  ],
];
