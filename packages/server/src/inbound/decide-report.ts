import { type Classification, foldAddress, type MessageStatus } from '@postrider/core';
import { nextRecipientStatus, type RecipientChange } from '../delivery/message-status.ts';
import { foldReplyText } from '../smtp-client/smtp-reply-text.ts';
import type { AbuseReport, DeliveryReport, ReportedRecipient } from './inbound-report.ts';

/** A recipient of the message, from the message log. */
export interface KnownRecipient {
  readonly ordinal: number;
  readonly email: string;
  readonly status: MessageStatus;
  /** A report has announced a delay since the message was sent. */
  readonly isDelayed: boolean;
}

export interface ReportFacts {
  /** In the order of the message; empty if it is no longer in the log. */
  readonly recipients: readonly KnownRecipient[];
  /** The recipients that the return path names: all those of the delivery attempt it was made for. The report can only be about them. */
  readonly ordinals: readonly number[];
}

export interface ReportEvent {
  readonly ordinal: number;
  readonly email: string;
  readonly type: 'bounced' | 'deferred' | 'delivered' | 'complained';
  readonly classification: Classification | null;
  readonly detail: string | null;
}

/**
 * What happened to a report: `applied` if it changed something, `repeated` if all of it was known, `no_news` if it
 * contains nothing relevant, `foreign_recipient` if it is about someone the message was not sent to, `in_hand` if the
 * message has not been sent to that recipient yet, `gone` if the message is no longer in the log.
 */
export type ReportOutcome = 'applied' | 'repeated' | 'no_news' | 'foreign_recipient' | 'in_hand' | 'gone';

export type ReportVerdict =
  | { readonly kind: 'decided'; readonly outcome: ReportOutcome; readonly events: readonly ReportEvent[] }
  /** The delivery attempt it is about is not recorded yet: try again in a moment. */
  | { readonly kind: 'too_early' };

/** Classifies the text of a failure report. */
type Classify = (
  reported: Pick<ReportedRecipient, 'status' | 'diagnostic'> & { readonly action: 'failed' },
) => Classification;

/** Decides what a report changes. Each recipient is decided separately. Repeating the same report changes nothing. */
export function decideReport(
  facts: ReportFacts,
  report: DeliveryReport | AbuseReport,
  classify: Classify,
): ReportVerdict {
  if (facts.recipients.length === 0) return { kind: 'decided', outcome: 'gone', events: [] };
  const named = facts.recipients.filter(({ ordinal }) => facts.ordinals.includes(ordinal));
  const findings = report.kind === 'abuse' ? [findComplaint(named, report)] : findDeliveries(named, report, classify);
  const known = new Map(named.map((recipient) => [recipient.ordinal, recipient]));
  const events: ReportEvent[] = [];
  const outcomes = new Set<ReportOutcome>();
  for (const finding of findings) {
    if (typeof finding === 'string') {
      outcomes.add(finding);
      continue;
    }
    const recipient = known.get(finding.ordinal);
    if (recipient === undefined) continue;
    const novelty = judgeNovelty(recipient, finding.type);
    if (novelty === 'too_early') return { kind: 'too_early' };
    if (novelty !== true) outcomes.add(novelty);
    else {
      events.push(finding);
      known.set(finding.ordinal, advance(recipient, finding.type));
    }
  }
  const order: readonly ReportOutcome[] = ['in_hand', 'repeated', 'foreign_recipient', 'no_news'];
  const outcome = events.length > 0 ? 'applied' : (order.find((each) => outcomes.has(each)) ?? 'no_news');
  return { kind: 'decided', outcome, events };
}

type Finding = ReportEvent | 'foreign_recipient' | 'no_news';

type Named = readonly KnownRecipient[];

function findDeliveries(named: Named, report: DeliveryReport, classify: Classify): readonly Finding[] {
  return report.recipients.map((reported) => {
    const type = EVENT_OF[reported.action];
    if (type === null) return 'no_news';
    const recipient = findRecipient(named, reported.addresses);
    if (recipient === null) return 'foreign_recipient';
    const { ordinal, email } = recipient;
    const { action, status, diagnostic } = reported;
    const classification = action === 'failed' ? classify({ action, status, diagnostic }) : null;
    // The type in front only says where the text is from.
    const detail = toDetail(diagnostic.replace(/^\s*[A-Za-z0-9-]+\s*;\s*/, '')) ?? status;
    return { ordinal, email, type, classification, detail };
  });
}

/** A third party's text, sanitized and truncated like reply text; null if there is none. */
function toDetail(words: string): string | null {
  return foldReplyText(Buffer.from(words).toString('latin1')) || null;
}

/** `relayed` and `expanded` mean that the message was passed on to a system that sends no reports. */
const EVENT_OF = {
  failed: 'bounced',
  delayed: 'deferred',
  delivered: 'delivered',
  relayed: null,
  expanded: null,
} as const;

/**
 * A report that names none of the return path's recipients is about someone else: usually an address that a recipient
 * forwards to, of which we cannot know whether it is valid. A report that names no one is about the recipient if there
 * is only one.
 */
function findRecipient(named: Named, addresses: readonly string[]): KnownRecipient | null {
  for (const address of addresses) {
    const recipient = named.find(({ email }) => foldAddress(email) === address);
    if (recipient !== undefined) return recipient;
  }
  return addresses.length === 0 ? findOnly(named) : null;
}

function findOnly(named: Named): KnownRecipient | null {
  const [only = null] = named;
  return named.length === 1 ? only : null;
}

/** The registered types that a recipient uses for unwanted mail. The others are about programs and policies. */
const COMPLAINTS: readonly string[] = ['abuse', 'fraud'];

function findComplaint(named: Named, report: AbuseReport): Finding {
  if (!COMPLAINTS.includes(report.feedbackType)) return 'no_news';
  const recipient = findComplainer(named, report.addresses);
  if (recipient === null) return 'foreign_recipient';
  const { ordinal, email } = recipient;
  const reporter = toDetail((report.reporter ?? '').slice(0, MAX_REPORTER_CHARACTERS));
  const detail = `Reported as ${report.feedbackType}${reporter === null ? '' : ` by ${reporter}`}`;
  return { ordinal, email, type: 'complained', classification: 'spam', detail };
}

const MAX_REPORTER_CHARACTERS = 200;

/**
 * Providers hide who complained (RFC 6590) behind another local part at the same domain, or omit it. So if the return
 * path names one recipient, only an address at another domain contradicts it.
 */
function findComplainer(named: Named, addresses: readonly string[]): KnownRecipient | null {
  const only = findOnly(named);
  if (only === null) return findRecipient(named, addresses);
  const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1);
  const domain = domainOf(foldAddress(only.email));
  return addresses.length === 0 || addresses.some((address) => domainOf(address) === domain) ? only : null;
}

/** Recipients the message has been sent to. Only for these can others know more than we do. */
const LEFT: ReadonlySet<MessageStatus> = new Set([
  'sent',
  'delivered',
  'bounced',
  'complained',
  'failed',
  'suppressed',
]);

function judgeNovelty(
  recipient: KnownRecipient,
  type: ReportEvent['type'],
): true | 'too_early' | 'in_hand' | 'repeated' {
  const { status } = recipient;
  if (status === 'sending') return 'too_early';
  if (!LEFT.has(status)) return 'in_hand';
  if (type === 'deferred') return status === 'sent' && !recipient.isDelayed ? true : 'repeated';
  return nextRecipientStatus(status, type) === status ? 'repeated' : true;
}

function advance(recipient: KnownRecipient, change: RecipientChange): KnownRecipient {
  const status = nextRecipientStatus(recipient.status, change);
  return { ...recipient, status, isDelayed: recipient.isDelayed || change === 'deferred' };
}
