import { FOREIGN_PATTERNS } from './reply-patterns-languages.ts';
import type { WordFinding } from './word-finding.ts';

// Whom a rejection is about. An address may be the sender's, but patterns about the sender come first.
const PERSON =
  '(?:user(?: ?names?| ?ids?)?|recipients?|rcpt(?: ?to)?|mailbox(?:es)?|inbox|maildrop|alias(?:es)?|addressees?|person|persons|account|' +
  'subscriber|local[- ]?part|(?:(?:email|recipient|destination|target) )?(?<!\\b(?:mail|ip|forwarding|bounce|errors-to|p1) )address(?:es)?|email(?: id)?(?! you\\b)|mail id|destination)';
// Fewer words, where an account or an address could be ours.
const MAILBOX = '(?:users?|recipients?|mailbox|inbox|maildrop|alias|addressee|e?mail address|recipient account)';
// A few words between the two, which may be a name.
const GAP = "(?:'s)?(?:[ :,-]{1,3}(?!or\\b|and\\b)[^\\s]{1,255}){0,6}?[ :,-]{1,3}(?:is |are |was |has |been |be ){0,2}";
const ABSENT =
  '(?:unknown|un?recogni[sz]ed|unavaiable here|invalid|in-?correct|non-?exist[ae]nt|inexist[ae]nt|undeliverable|unresolvable|unrout(?:e)?able|missing|' +
  'no(?:t)? longer (?:exists?|valid|available|here|employed|with|works|on|at|known|registered|served)|' +
  'not (?:be )?(?:found|find|known|recogni[sz]ed|exists?|existing|existent|valid|registered|present|located|defined|here|hosted|served|' +
  'handled|correct|a (?:valid|known|local|registered|customer|member|user)|in (?:my|our|this|the) \\S{1,40}|listed|local|live here|on (?:this|our|the)|' +
  'belong|have an?(?: \\S{1,255}){0,2} (?:account|mailbox)))';
const GIVEN_UP =
  '(?:disabled|deactivated|de-activated|inactive|inactivated|closed|discontinued|deleted|terminated|cancel(?:l)?ed|removed|retired|' +
  'decommissioned|abandoned|defunct|obsolete|unused|not (?:been )?(?:active|activated|enabled|used|in use|accepting|accept)(?! .{0,40}\\bfrom\\b)|' +
  'no longer (?:active|in use|used|accepts?|accepting|receiv\\w{1,6}|monitored|in service))';

/**
 * The first match counts: blocking is before the recipient, since such replies often mention both, and the sender is before "does not
 * exist". The text is in the form of readWords: lowercase, `not` for every negation, `@` for names. Every repetition and the text are
 * bounded, so that no pattern is slow. The rules are measured on test/delivery/reply-corpus, a third of which was not used to write them.
 */
export const REPLY_PATTERNS: readonly (readonly [RegExp, WordFinding])[] = [
  // The server does not say which of the two it is.
  [
    /\b(unavailable|found|unknown|exists?|invalid)\b.{0,20} or .{0,20}\b(access|permission|denied|full|quota|blocked|suspended|locked|you|rejects?|policy|permitted|members?)\b/,
    'unknown',
  ],
  [/\b(user|recipient|account|mailbox|address|domain) (may|might) (not|no longer|be)\b/, 'unknown'],
  // The server checked the sender and reports the result, or failed to read one of its own files.
  [
    /\b(?<!recipient )verification failed for\b|\bcallout\b|\.forward\b|\bnot (create|open|read|write) (output|file)/,
    'unknown',
  ],
  [/\b(outgoing|outbound) (mail|email|messages?)\b.{0,40}\b(suspended|disabled|not allowed)\b/, 'unknown'],
  // A mail loop.
  [
    /\bhop ?count|\b(too many|exceeded \d{1,4}) (hops|received)|\b(mail|message|routing|forwarding|delivery) ?loop(s|ing)?\b|\bloop(s|ing|ed)?\b/,
    'unknown',
  ],
  [/\bgr[ea]y-?list/, 'patience'],
  // An abandoned mailbox. Some servers call it blocked.
  [
    /\b(mailbox|account|user|recipient|address)\b.{0,80}\b(due to|because of|for|long) (\S{1,40} ){0,2}inactivity/,
    'absent',
  ],
  [/\b(no|recipient) activity since|\bnot (poped|popped|logged in|read) (for|since)/, 'absent'],
  // Too many recipients that do not exist: typical of senders that guess addresses.
  [
    /\b(too many|excessive|high number of) (unknown|invalid|bad|non-?existent)|\binvalid recipients? (limit|threshold)/,
    'block',
  ],

  // Named blocklists and filters, the words for being on a list, and the codes that Cox and Charter (AUP#) and T-Online (BL) use.
  [
    /spam ?(haus|cop|rats)|barracuda|proofpoint|\bsorbs\b|invaluement|uce ?protect|cloudmark|sender ?(score|base)|\bsbrs\b|mailspike|abuseat|abusix|(?<!user )hostkarma|\b(su|u)ri?bl\b/,
    'block',
  ],
  [
    /\b(black|block|deny|denied|reject|ban|bad ?mail ?from)[- ]?list|dns-?bl|\b[a-z]{0,5}rbl\b|(?<!not )\blisted (at|by|in|on|as)\b|\bblock(ed|ing|s)?\b(?! limit)(?<!(mailbox|account|recipient) (is|has been) blocked)|\baup#|\(bl\)/,
    'block',
  ],
  [
    /\bblack (ip|mail|sender|address)\b|\bbann?(ed|ing)\b|\bblackholed\b|dynamic(ally)? (ip|address|assigned|range|host)|dial-?up|residential|\brtr:|\bip in prison/,
    'block',
  ],
  [
    /\bno access\b|\baccess to (this|our) (mail )?(system|server)|\bnot accept delivery of|\bmail from must equal\b|\b(dt:s[pu]m|mi:(spb|spf|sfq|dma)|hl:rep)\b|not welcome|go away|\bip (check|(address )?(is |was |has been )?(rejected|refused|denied))|\b(bad|poor|invalid|rejected|refused) ip\b|\brejected \[ip/,
    'block',
  ],
  // Content and reputation. Orange's 506 is its code for spam.
  [
    /spam|too many (same|similar|identical|duplicate)|un-?soli?cited|\bu[bc]e\b|\bbulk\b|\bjunk|virus|infected|malware|malicious|trojan|phish|spoof|impersonat|(?<!temporar.{0,40})reputation(?! rate)|suspicious|suspected|suspicion|forge[dr]?\b|fraud|\bscam|harvest|dictionary attack|directory attack|\bofr[ _]506\b/,
    'block',
  ],
  [
    /\bcontents? (was |is |has been |been )?(reject|refused|denied|filter|polic|scan|inspect|restrict|not|violat|block)|\b(invalid|objectionable|inappropriate|unacceptable|offensive|unwanted|undesirable|profan|banned|restricted|prohibited) (content|material|word|attachment|language|url|file)|(rejected|refused|filtered) (by|due to|because of) .{0,60}\b(rules?|filter|content|scor)|\bmime\/reject|\b(bad|blocked|listed) url|\bscored?\b.{0,40}\d|\bheuristic|message filtered|\bfilter(ed)? (rejection|by|reject)/,
    'block',
  ],
  [
    /(invalid|missing|malformed|duplicate|multiple|improper\w{0,6}|blank|bad|empty|more than one) ('?[\w-]{1,20}'? ?){0,2}(headers?\b|from:|subject)|\b(in|of) (the )?(from|to|cc|sender|reply-to):? (header|field)|\bheaders? (error|malformed|contains|is missing|are missing|in this message|not)|\b(message|mail) is malformed\b|\brfc[ -]?\d{3,4}( \S{1,20})? (non-?)?(compl\w{1,8}|violation)|\bnot (rfc|complian|comply|conform)|\bnon-?complian|addresses not allowed as a from/,
    'block',
  ],
  [
    /\b(unsafe|forbidden|dangerous|harmful|illegal|bad|executable|unacceptable|banned|disallowed) (content|attachment|file|extension)|\b(attachment|file ?name|file|extension)s?\b.{0,40}\b(not allowed|forbidden|prohibited|banned|illegal|not permitted|not accept\w{0,3}|unacceptable)\b/,
    'block',
  ],
  // What the recipients themselves blocked.
  [
    /(rejected|refused|declined|blocked) by (the |our |your )?(recipient|user|admin)|\b(user|recipient|mailbox|domain) (has )?(refused|declined|rejects?|refuses?|declines?)\b|\b(user|recipient) (has )?rejected (your|this|the) (mail|email|message)|not want (your|to receive|this|any)|\brefuses? to accept/,
    'block',
  ],
  // The sender's authentication, and the name of the sending host.
  [
    /\bspf\b|\bdkim\b|\bdmarc\b|domain ?keys?\b|reverse[- ](dns|lookup|ip|resol)|\br?ptr\b|\br?dns ?ptr|\brdns\b|(un|not )(been )?authenticated|fail\w{0,4}( to pass)? authentication check|not pass .{0,20}authentic|\bfcrdns|for sending mail of domain/,
    'block',
  ],
  [
    /(authentication|authorization|authentification|tls|ssl|encryption|starttls)( \S{1,30})? (is )?(required|requise|needed|mandatory|enforced)|smtp authentication|\bauth required|must issue a starttls|\b(requires?|required|must|needs?|please)\b.{0,40}\b(tls|starttls|ssl|encrypt\w{0,4}|ciphers?|authenticate|authentication|login first)\b|\b(authenticate|check (for )?(new )?mail|pop3?) (first|before)|pop[- ]before|via pop3/,
    'block',
  ],
  [
    /mismatch(es)? .{0,20}\bip\b|not find your (reverse )?host ?name|\bno valid (ptr|host ?name)|\b(country|countries|geograph\w{0,8}|geo-?ip)\b/,
    'block',
  ],
  // Policy.
  [
    /\bpolic(y|ies)\b|\bden(y|ied|ies|ial)\b|prohibit|un-?authori[sz]ed|security (reason|regulation|measure|violation)|for security|\bforbid(den)?\b|\bdisallow/,
    'block',
  ],
  [
    /not (authori[sz]ed|permitted|entitled)|(?<!(mailbox name|syntax|format|characters?|address) )not allowed|(white|allow(ed)?|approved|safe)[- ]?(senders? )?list|\babus(e|ive)\b|(members?|subscribers?)[- ]only|\b(external|outside) (e?mail|senders?|messages)|only (allow|accept|members|subscribers|trusted|authenticated|internal)|non-?members?\b|\bcomplaints?\b/,
    'block',
  ],
  [
    /not accept(ing|ed|s)? .{0,60}\bfrom\b|\brefus\w{1,3} (all |any |to accept )?(mail|messages|connections?|email) from/,
    'block',
  ],
  // Relaying, but not a host name, nor the relay=… in some servers' notes.
  [
    /\bopen ?relay|\brelay(s|ing|ed)?\b(?!=|[-.]\w| recipient table| (sending )?limit| server not)|allowed rcpt ?hosts|not a gateway|local users? only|\bthird[- ]party (mail|rel)/,
    'block',
  ],

  // A full mailbox. Its size is not the size of a message.
  [
    /\b(mailbox|inbox|mail ?folder|maildir|account|user|recipient|quota|folder|disk|storage|spool|mail system|dropfile)\b.{0,40}\b(full|over ?limit|(?<!not )exceed(s|ed)?)\b|\bfull (mailbox|inbox|disk)\b|\bover (\S{1,20} )?quota|overquota|\bover (its|the|his|their) (\S{1,20} ){0,2}limit|quota (violat|reached|is over|full|exceed)|exceed\w{0,4} .{0,30}(quota|storage|allocation|mailbox)|\bmailbox( \S{1,20}){0,2} (size )?limit|\b(quota|storage) (limit|reached)|overdrawn/,
    'patience',
  ],
  [
    /\b(exceeded|exhausted|insufficient|out of|not enough|no more|lack of|has no|low on|no) (\w{1,20} ){0,2}(storage|disk ?space|space|memory|resources|quota|room)\b|too many (messages|mails?|emails?) (on|in) (the|this|his|her)|not (able to )?receive any more/,
    'patience',
  ],

  // Rejecting an unverified sender says nothing about the recipient.
  [
    /sender'?s? (address|domain|verif\w{1,8}|rejected|not|email)|return path|invalid sender|(domain of|mx for) sender|\bfrom: (domain|address)/,
    'unknown',
  ],
  // Nor does the size of a message.
  [
    /\b(message|mail|email|attachment|header|line|data|file|body)s?\b.{0,40}\b(size|length|too (big|large|long)|larger)\b|\btoo (big|large|long)\b|\bsize (limit|exceeds?)|\bmaximum (\S{1,20} ){0,2}size|\blarger than\b/,
    'oversize',
  ],

  [
    /\b(try|trying|retry|resend|send|again|come back|attempt|later)\b.{0,30}\b(later|in (\d|a few|an?)|slower|soon)\b|\btemporar(y|ily)\b|\btransient\b/,
    'patience',
  ],
  // A temporary limit or a system with problems.
  [
    /\brate[- ]?limit|\b(sending|relay|frequency|connection|message|hourly|daily|weekly|monthly|per hour|per day|outbound|inbound|receiv\w{0,3}|session|thread|recipients?)( \w{1,12})? (rate|limit|quota)\b|throttl|\bfrequency\b/,
    'patience',
  ],
  [
    /\btoo (many|much) (\w{1,20} ){0,2}(messages|e?mails?|connections?|sessions?|errors|recipients|rcpts?|requests|sent|data|concurrent|simultaneous|to)\b|\b(max\w{0,5}|limit) .{0,40}\b(exceeded|reached|recipients|messages|connections)\b|\b(exceed\w{0,4}|reached) .{0,40}\b(max\w{0,5}|limits?|number|threshold|rate)\b|\b(this|per|an?|last) (hour|day|minute)\b/,
    'soft',
  ],
  [
    /receiving (e-?mail|mail|messages) (too quickly|at a rate)|\b(too|so) (fast|quickly|often|frequent\w{0,2})\b|\btimed? ?-?out\b|\b(too|server|system|network|line) (is )?(too )?busy\b|overload|\bload (is )?too high|\b(not |un)reachable\b|\bno route to|connection (reset|lost|dropped)|\bdelivery time expired|(message|delivery|queue)( \S{1,20})? expired/,
    'soft',
  ],
  [
    /\b(currently|at (this|the) (time|moment)|right now|at present)\b.{0,30}\b(unavailable|not (avail|accept))|\bnot .{0,20}(currently|at (this|the) (time|moment)|right now)\b/,
    'soft',
  ],
  // An account that may work again later, and is not ours.
  [
    /(?<!\b(your|sending|smtp) )\b(user|mailbox|account|recipient|address|domain)\b( \S{1,255}){0,2}?( status)?( is| has been| was| currently| have been| are| been| temporar\w{1,4}| temp){0,3} ?(suspend(ed|s)?|locked|frozen|expired|blocked|isblocked|on hold|barred)\b/,
    'patience',
  ],
  [/\b(suspended|locked|frozen|expired|blocked) (user|mailbox|account|recipient)\b/, 'patience'],

  // Everything else about the sending side: "does not exist" may be about the sender.
  [
    /\b(sender|sending|originator|reply[- ](?:to|address)|envelope[- ]from|mail from|(return|reverse)[- ](path|address)|from address)\b/,
    'unknown',
  ],
  [
    /\byour ((user|trial|free|mail|sending|client|smtp|hosting) )?(ip|domain|address|email address|mailbox|account|host|helo|server|credentials)\b|\b(helo|ehlo)\b|client host/,
    'unknown',
  ],
  // A failed login is not about a recipient either.
  [
    /\bpassword\b|\b(smtp|sasl|imap|pop3?) user\b|\b(certificate|token)\b|\bcredentials\b|\blog-?in\b|\bauth(entication)? (failed|failure|data|not|error|invalid|type|credentials|mechanism|command|exchange)/,
    'unknown',
  ],

  ...FOREIGN_PATTERNS,

  // No such recipient. "Mailbox unavailable" is not included: RFC 5321 uses it for every 550.
  [new RegExp(`\\b${PERSON}${GAP}${ABSENT}\\b(?!-| (?:or|format))`), 'absent'],
  [
    new RegExp(
      `\\b(?:unknown|no such|invalid|non-?exist[ae]nt|inexist[ae]nt|bad|illegal|wrong|incorrect|undeliverable|unresolvable|unrout(?:e)?able|un?recogni[sz]ed|no valid(?! recipients)|no matching|not (?:find|locate|know|have)(?: an?| any| that| this| such)?|not (?:an? )?(?:valid|known|registered|existing|active))[- ](?:or \\S{1,20} )?(?:(?:local|virtual|mail|email|destination|recipient|or illegal) ){0,2}${PERSON}\\b(?! (?:syntax|format))`,
    ),
    'absent',
  ],
  [
    /\b(no|nobody|no one|noone|none) (\S{1,20} ){0,2}(mailbox|account|user|person|recipient|one|here)? ?(here )?(by|with|at|of|under|named|called) (that|this|the) (name|address|email|user|id)|\bthere is no (such |one )?(user|mailbox|account|person|one|at)?/,
    'absent',
  ],
  [
    /\bno (mailbox|user|account|recipient) (here|found|available|with|for)\b|\bhas no (mailbox|account)\b|\b(address|mailbox|user|recipient)-not-(found|exist)/,
    'absent',
  ],
  [
    /\bnot (our|a) customer\b|\bnot (a )?(member|local user|active address|valid rcpt)|\breserved by rfc ?2606|\bnot in .{0,20}(validrcptto|directory)|\bnot listed in .{0,40}directory/,
    'absent',
  ],
  [
    /\b(recipient|user|mailbox|address|addressee|account) (has |is |was )?(moved|been replaced|migrated|left|changed)|has been replaced by|\baddress not receiv(e|ing) (e?mail|messages)\b(?! from)|\bno longer (works|employed|(with|at) (us|the company|company))|\bnot know any(body|one) (by|with)|\bhas left\b/,
    'absent',
  ],
  // No such domain.
  [
    /\b(unknown|no such) (host|domain)\b|\bhost (name )?(is )?unknown\b|host or domain name not found|\bnxdomain\b|\bnull ?mx\b|\bunrout(e)?able (mail )?domain\b|not find any host|\bno (mail )?(host|server|mx)s? (for|found for) (the )?(recipient|domain|rcpt)/,
    'absent',
  ],
  [
    /\b(recipient|destination|dns|rcpt|target|mail) domain( \S{1,255})? (unknown|invalid|not (found|exists?|known|valid|find)|no longer exists?)\b/,
    'absent',
  ],
  [
    /\b(domain|host|machine|system|server) (not|never) accepts? (any )?(email|mail|messages)\b(?!.{0,20}\bfrom\b)/,
    'absent',
  ],
  // A mailbox that no longer exists. An "account" could be ours, which may not send.
  [new RegExp(`\\b${MAILBOX}${GAP}${GIVEN_UP}\\b(?!.{0,20}\\boutgoing)`), 'absent'],
  [new RegExp(`\\b${GIVEN_UP} (?:user|recipient|mailbox|mbox|email address|address)\\b`), 'absent'],
  [
    new RegExp(
      `(?<!smtp )\\baccount${GAP}${GIVEN_UP}\\b(?!.{0,20}\\boutgoing)|\\b(?:disabled|inactive|closed|deactivated) account\\b`,
    ),
    'hard',
  ],
  [
    /(^|@ )(is )?(now |currently )?(disabled|deactivated|inactive|not used)\b|\bis (now|currently) (disabled|deactivated|inactive)\b|(^|@ )(is )?no longer valid\b|\bno longer accepts? mail|not found or inactivated/,
    'hard',
  ],
];
