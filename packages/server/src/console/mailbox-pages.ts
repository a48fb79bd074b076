import { type Html, html } from '../html/page-markup.ts';
import type { MailboxEntry } from './mailbox-entry.ts';

/** A captured message, parsed for reading. */
export interface ReadableMessage {
  readonly id: string;
  readonly subject: string;
  /** The envelope that the transport received: it shows blind copies. */
  readonly mailFrom: string;
  readonly recipients: readonly string[];
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text: string | null;
  readonly hasHtml: boolean;
}

/** The captured mail, newest first. */
export function renderMailbox(entries: readonly MailboxEntry[]): string {
  const rows = entries.map(
    ({ id, from, to, subject, receivedAt }) => html`<tr>
<td><a href="/console/mailbox/${id}">${subject === '' ? '(no subject)' : subject}</a></td>
<td>${from}</td><td>${to.join(', ')}</td><td><time datetime="${receivedAt.toISOString()}">${shortTime(receivedAt)}</time></td></tr>`,
  );
  const table = html`<table><thead><tr><th>Subject</th><th>From</th><th>Recipients</th><th>Received (UTC)</th></tr></thead><tbody>${rows}</tbody></table>`;
  const empty = html`<p class="empty">No messages have been captured yet. Send one, and it appears here.</p>`;
  return page('Captured mail', html`<h2>Captured mail</h2>${entries.length === 0 ? empty : table}`);
}

/** One captured message: envelope, headers, text, and the HTML body in a frame that cannot run or load anything. */
export function renderMessage(message: ReadableMessage): string {
  const headers = message.headers.map(({ name, value }) => html`<tr><th>${name}</th><td>${value}</td></tr>`);
  const frame = html`<h3>HTML</h3><iframe title="HTML body" sandbox="" src="/console/mailbox/${message.id}/html"></iframe>`;
  return page(
    message.subject,
    html`<p><a href="/console/mailbox">All captured mail</a> · <a href="/dev/mailbox/${message.id}.eml" download>Download .eml</a></p>
<h2>${message.subject === '' ? '(no subject)' : message.subject}</h2>
<p class="envelope">Envelope: from <b>${message.mailFrom}</b> to <b>${message.recipients.join(', ')}</b></p>
${message.hasHtml ? frame : html``}
${message.text === null ? html`` : html`<h3>Text</h3><pre>${message.text}</pre>`}
<h3>Headers</h3><table class="headers"><tbody>${headers}</tbody></table>`,
  );
}

function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Postrider</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/console/mailbox/style.css"></head>
<body><header><h1><a href="/console/mailbox">Postrider</a></h1><nav><a href="/console/mailbox">Captured mail</a> <a href="/reference">API reference</a></nav></header>
<main>${content}</main></body></html>
`.markup;
}

function shortTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

export const CONSOLE_STYLE = `:root { color-scheme: light; }
body { margin: 0; background: #f6f8fa; color: #1c2430; font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; gap: 2rem; align-items: baseline; padding: .75rem 1.5rem; background: #14324a; }
header h1 { margin: 0; font-size: 1.2rem; } header a { color: #fff; text-decoration: none; } header nav a { color: #cfe6f7; margin-right: 1rem; }
main { max-width: 72rem; margin: 1.5rem auto; padding: 0 1.5rem; }
table { width: 100%; border-collapse: collapse; background: #fff; border: 1px solid #dde3ea; }
th, td { padding: .5rem .75rem; text-align: left; border-bottom: 1px solid #eef1f4; vertical-align: top; overflow-wrap: anywhere; }
thead th { background: #eef3f7; font-weight: 600; } td:last-child { white-space: nowrap; }
table.headers th { width: 12rem; font-weight: 600; } table.headers td { white-space: normal; font: 13px/1.5 ui-monospace, monospace; }
a { color: #0b5c94; } .empty, .envelope { color: #5a6675; }
pre { background: #fff; border: 1px solid #dde3ea; padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
iframe { width: 100%; height: 28rem; background: #fff; border: 1px solid #dde3ea; }
`;
