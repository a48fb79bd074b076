import type { MessageAttempt } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { badge, type Tone } from '../../../../ui/components/badge.ts';
import { facts } from '../../../../ui/components/facts.ts';
import { foreignText, quotation } from '../../../../ui/components/foreign-text.ts';
import { emptyState, flushCard } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import type { PageResult } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { LOG_PATH } from './message-log-state.ts';
import { messagePage } from './message-tabs.ts';

/** A conversation can have 8 KB, and a message many attempts. */
const ATTEMPTS_SHOWN = 10;
const RECIPIENTS_SHOWN = 5;

/** Every delivery attempt, newest first, with what was said to the mail server and what it replied. */
export async function showAttempts(request: PageRequest): Promise<PageResult> {
  const message = await request.call('emails.get', { params: { id: request.param('id') } });
  const newestFirst = message.attempts.toReversed();
  const shown = request.query.get('show') === 'all' ? newestFirst : newestFirst.slice(0, ATTEMPTS_SHOWN);
  const hidden = newestFirst.length - shown.length;
  const more =
    hidden === 0
      ? null
      : html`<p><a href="${LOG_PATH}/${message.id}/attempts?show=all">Show ${hidden} earlier attempts</a></p>`;
  const redacted = message.redacted.includes('attempts')
    ? html`<p class="soft">Your role does not include the replies and conversations of attempts with blind copies.</p>`
    : null;
  const cards = shown.map((attempt, index) => attemptCard(attempt, index === 0));
  const content = newestFirst.length === 0 ? nothing() : html`${redacted}${cards}${more}`;
  return messagePage(message, request, { tab: 'attempts', content });
}

function nothing(): Html {
  return flushCard(
    null,
    emptyState(
      'No delivery attempts',
      'No mail server was contacted yet, or the attempts were made before Postrider recorded them.',
    ),
  );
}

type Outcome = MessageAttempt['outcome'];

const OUTCOMES: Readonly<Record<Outcome, { readonly label: string; readonly tone: Tone; readonly text: string }>> = {
  accepted: { label: 'Accepted', tone: 'good', text: 'The server accepted it for all recipients.' },
  mixed: { label: 'Mixed', tone: 'warn', text: 'The server accepted it for some recipients, and not for others.' },
  deferred: { label: 'Try again later', tone: 'warn', text: 'The server asked to try again later.' },
  refused: { label: 'Refused', tone: 'bad', text: 'The server refused the recipients permanently.' },
  failed: { label: 'Not reached', tone: 'bad', text: 'No server replied: none was found, or the connection was lost.' },
};

const TRANSPORTS: Readonly<Record<string, string>> = {
  'smtp-relay': 'Through the SMTP relay',
  direct: 'Directly to the recipient’s mail server',
  capture: 'Nothing was sent: it is kept as captured mail',
  sandbox: 'Nothing was sent: a test address has a fixed outcome',
  simulated: 'Nothing was sent: the key is a test key',
};

function attemptCard(attempt: MessageAttempt, isNewest: boolean): Html {
  const { id, number, startedAt, durationMs, server, tls, connectionReused, outcome, reply, recipients } = attempt;
  const { label, tone, text } = OUTCOMES[outcome];
  const about = facts([
    ['Outcome', text],
    ['Way', TRANSPORTS[attempt.transport] ?? attempt.transport],
    ['Server', server === null ? null : serverWords(server)],
    ['Encryption', server === null ? null : tlsWords(tls)],
    ['Took', `${(durationMs / 1_000).toLocaleString('en-US', { maximumFractionDigits: 3 })} s`],
    ['Connection', connectionReused ? 'Used before, so it begins without a greeting' : null],
    ['Recipients', recipientLines(recipients)],
    ['Reply', reply === null || reply === '' ? null : quotation(reply)],
  ]);
  return html`<section class="card" id="attempt-${id}"><header><h2>Attempt ${number}</h2>${badge(label, tone)}${time(startedAt)}</header>
<div class="body">${about}${conversation(attempt, isNewest)}</div></section>`;
}

function serverWords({ host, address, port }: NonNullable<MessageAttempt['server']>): Html {
  const at = address === null || address === host ? null : html` <span class="soft">(${address})</span>`;
  return html`${foreignText(host)}, port ${port}${at}`;
}

function tlsWords(tls: MessageAttempt['tls']): string {
  if (tls === null) return 'None';
  return `${tls.protocol}, ${tls.cipher}, certificate ${tls.verified ? 'valid for this name' : 'not verified'}`;
}

function recipientLines(recipients: readonly string[]): Html {
  const lines = recipients.map((email) => html`<span class="line">${foreignText(email)}</span>`);
  const rest = lines.slice(RECIPIENTS_SHOWN);
  return html`${lines.slice(0, RECIPIENTS_SHOWN)}${rest.length === 0 ? null : html`<details class="more"><summary>and ${rest.length} more</summary>${rest}</details>`}`;
}

/** What went wrong last is open. */
function conversation({ conversation: lines, outcome }: MessageAttempt, isNewest: boolean): Html | null {
  if (lines === null) return null;
  const said = lines.map(
    ({ from, line }) =>
      html`<dt>${from === 'client' ? 'Postrider' : 'Server'}</dt><dd${from === 'server' ? html` class="server"` : null}>${foreignText(line)}</dd>`,
  );
  const isOpen = isNewest && outcome !== 'accepted';
  return html`<details class="more"${isOpen ? html` open` : null}><summary>SMTP conversation, ${lines.length} lines</summary><dl class="source conversation">${said}</dl></details>`;
}
