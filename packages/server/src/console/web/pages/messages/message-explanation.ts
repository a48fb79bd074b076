import type { Classification, Message } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { foreignText, quotation } from '../../../../ui/components/foreign-text.ts';
import { notice } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import { withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { LOG_PATH } from './message-log-state.ts';
import { isScheduled } from './message-words.ts';

type MessageEvent = Message['events'][number];

const EXAMPLES_SHOWN = 3;
const SEARCH_CHARACTERS = 200;

/** Why a message was not delivered, or waits, and what to do about it. Empty for a message that needs nothing. */
export async function explainMessage(message: Message, request: PageRequest): Promise<readonly Html[]> {
  const waiting = explainWaiting(message, request);
  if (waiting !== null) return [waiting];
  const groups = groupProblems(message.events);
  if (groups.length > 0) {
    const listed = await findListed(groups, request);
    const attempts = message.attempts.length === 0 ? null : `${LOG_PATH}/${message.id}/attempts`;
    return groups.map((group) => explainProblem(group, { listed, attempts, wasRetried: wasRetried(message) }, request));
  }
  return explainStatus(message);
}

function explainWaiting(message: Message, request: PageRequest): Html | null {
  const { status, approval, scheduledAt } = message;
  if (status === 'pending_approval' && approval !== null) {
    const link = request.caller.scopes.includes('approvals:read')
      ? html` <a href="/console/approvals/${approval.id}">Open the approval</a>`
      : null;
    return notice(
      'warn',
      'It is waiting for approval',
      html`Nothing is sent until an approver decides, by ${time(approval.expiresAt)}.${link}`,
    );
  }
  if (scheduledAt !== null && isScheduled(message, request.now))
    return notice(
      'info',
      'It is scheduled',
      html`It will be sent on ${time(scheduledAt)}. Until then it can be changed or canceled.`,
    );
  return null;
}

/** An attempt that failed for now was followed by another. */
function wasRetried({ events }: Message): boolean {
  return events.some(({ type }) => type === 'deferred');
}

interface ProblemGroup {
  readonly kind: ProblemKind;
  readonly events: MessageEvent[];
}

type ProblemKind = 'complained' | 'failed' | 'suppressed' | Exclude<Classification, 'spam'>;

/** The events that ended a delivery badly, by what has to be done. */
function groupProblems(events: readonly MessageEvent[]): readonly ProblemGroup[] {
  const groups = new Map<ProblemKind, MessageEvent[]>();
  for (const event of events) {
    const kind = kindOf(event);
    if (kind !== null) groups.set(kind, [...(groups.get(kind) ?? []), event]);
  }
  return [...groups].map(([kind, found]) => ({ kind, events: found }));
}

function kindOf({ type, classification }: MessageEvent): ProblemKind | null {
  if (type === 'complained' || type === 'failed' || type === 'suppressed') return type;
  if (type !== 'bounced') return null;
  return classification === null || classification === 'spam' ? 'unknown' : classification;
}

const PROBLEMS: Readonly<
  Record<ProblemKind, { readonly title: string; readonly advice: string; readonly isListed: boolean }>
> = {
  hard: {
    title: 'The address does not exist',
    advice:
      'Correct the address, and send to the right one. A hard bounce puts an address on the suppression list; remove it only if the recipient confirms that it works.',
    isListed: true,
  },
  soft: {
    title: 'It could not be delivered in time',
    advice:
      'For example, the mailbox is full or its server cannot be reached. Resend it later, or reach the recipient another way.',
    isListed: false,
  },
  block: {
    title: 'The recipient’s server refused it',
    advice:
      'The reason is its policy or the content of the message; the reply below has details. Check that the records of your sending domain are verified, change what the reply names, and resend.',
    isListed: false,
  },
  unknown: {
    title: 'It was returned without a reason',
    advice: 'The delivery attempts show the replies of the server. If the address is correct, resend the message once.',
    isListed: false,
  },
  complained: {
    title: 'The recipient reported it as spam',
    advice:
      'Do not send to the address again unless the recipient asks for it. A complaint puts an address on the suppression list.',
    isListed: true,
  },
  suppressed: {
    title: 'The recipient is on the suppression list',
    advice:
      'Nothing was sent to the address. The list says why it is there. If the recipient wants your mail, remove it from the list and resend.',
    isListed: true,
  },
  failed: {
    title: 'It failed because of an internal error',
    advice:
      'The reason is below. Once the problem is solved, resend the message. If the reason is unclear, contact support with the id of the message.',
    isListed: false,
  },
};

/** The addresses of these problems that are on the suppression list now. Test addresses never are, nor are those that were removed. */
async function findListed(groups: readonly ProblemGroup[], request: PageRequest): Promise<ReadonlySet<string>> {
  if (!request.may('suppressions.list')) return new Set();
  const asked = groups
    .filter(({ kind }) => PROBLEMS[kind].isListed)
    .flatMap(({ events }) => events.slice(0, EXAMPLES_SHOWN))
    .flatMap(({ recipient }) => recipient ?? []);
  const found = await Promise.all(
    asked.map(async (email) => {
      const page = await request.attempt('suppressions.list', { query: { q: email.slice(0, SEARCH_CHARACTERS) } });
      const isListed = page.ok && page.body.suppressions.some((entry) => isSame(entry.email, email));
      return isListed ? [email] : [];
    }),
  );
  return new Set(found.flat());
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

interface ProblemContext {
  readonly listed: ReadonlySet<string>;
  /** The page of the delivery attempts, if there are any. */
  readonly attempts: string | null;
  readonly wasRetried: boolean;
}

function explainProblem({ kind, events }: ProblemGroup, context: ProblemContext, request: PageRequest): Html {
  const { title, advice } = PROBLEMS[kind];
  const examples = events.slice(0, EXAMPLES_SHOWN).map(({ recipient, detail }) => {
    const name = recipient === null ? null : html`<b>${foreignText(recipient)}</b>`;
    const entry = recipient !== null && context.listed.has(recipient) ? suppressionLink(recipient) : null;
    return html`<li>${name}${entry}${detail === null ? null : quotation(detail)}</li>`;
  });
  const more = events.length - examples.length;
  const rest = more > 0 ? html`<li>and ${more} more, in the timeline</li>` : null;
  const domains =
    kind === 'block' && request.may('domains.list') ? html` <a href="/console/domains">Check the domains</a>` : null;
  const isAboutServer = kind !== 'suppressed' && kind !== 'complained' && context.attempts !== null;
  const attempts = isAboutServer ? html` <a href="${context.attempts ?? ''}">See the delivery attempts</a>` : null;
  const tone = kind === 'suppressed' ? 'warn' : 'bad';
  return html`<div class="notice ${tone}" role="region" aria-label="What went wrong"><h2>${title}</h2><p>${kind === 'soft' && context.wasRetried ? 'Every retry failed. ' : null}${advice}${domains}${attempts}</p><ul>${examples}${rest}</ul></div>`;
}

function suppressionLink(email: string): Html {
  const href = withQuery('/console/suppressions', { q: email.slice(0, SEARCH_CHARACTERS) });
  return html`. It is on the suppression list, so nothing more is sent to it. <a href="${href}">See the entry</a>`;
}

function explainStatus({ status, lastError, approval }: Message): readonly Html[] {
  const quoted = lastError === null ? null : quotation(lastError);
  switch (status) {
    case 'deferred':
      return [
        notice(
          'warn',
          'Delivery is delayed',
          html`The last attempt failed temporarily. Postrider tries again automatically; no action is needed.${quoted}`,
        ),
      ];
    case 'rejected':
      return [
        notice(
          'bad',
          'An approver rejected it',
          html`It was not sent. ${approval?.note == null || approval.note === '' ? null : html`The approver’s note:${quotation(approval.note)}`}`,
        ),
      ];
    case 'expired':
      return [
        notice(
          'warn',
          'No one decided in time',
          'The hold has expired, so it was not sent. Send the message again if it is still needed.',
        ),
      ];
    case 'canceled':
      return [notice('info', 'It was canceled', 'It was not sent, and its content was removed.')];
    case 'failed':
    case 'bounced':
      return [notice('bad', 'It was not delivered', html`${quoted ?? 'Your role does not include the reason.'}`)];
    default:
      return [];
  }
}
