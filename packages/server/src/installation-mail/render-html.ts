import { type Html, html } from '../html/page-markup.ts';
import { COLORS, renderFrame } from './html-frame.ts';
import { type MailText, toHtml } from './mail-text.ts';
import { joinLinks } from './sender-text.ts';
import type { MailFact, MailLink, MailPart, QuotedPart, WrittenMail } from './written-mail.ts';

/** HTML for mail programs: tables, inline styles, nothing loaded, and no link but ours. */
export function renderHtml(mail: WrittenMail): string {
  const { heading, opening, button, rest } = mail;
  return renderFrame(
    mail,
    html`<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:30px;font-weight:600;letter-spacing:-.01em;color:${COLORS.ink}">${toHtml(heading)}</h1>
${opening.map(renderPart)}
${button === null ? html`` : renderButton(button)}
${rest.map(renderPart)}`,
  );
}

function renderPart(part: MailPart): Html {
  if (part.kind === 'paragraph') return html`<p style="margin:0 0 16px">${toHtml(part.text)}</p>`;
  if (part.kind === 'list') return renderList(part.items);
  if (part.kind === 'facts') return (part.isCompact ? renderCompactFacts : renderFacts)(part.facts, '0 0 20px');
  if (part.kind === 'letter') return html`<p style="margin:0 0 24px;white-space:pre-wrap">${part.text}</p>`;
  if (part.kind === 'commands') return renderCommands(part.lines);
  if (part.kind === 'title') return renderTitle(part.text);
  return part.kind === 'link' ? renderLink(part) : renderQuoted(part);
}

function renderTitle(text: MailText): Html {
  return html`<h2 class="ink line" style="margin:32px 0 12px;padding:24px 0 0;border-top:1px solid ${COLORS.line};font-size:16px;line-height:24px;font-weight:600;color:${COLORS.ink}">${toHtml(text)}</h2>`;
}

function renderList(items: readonly MailText[]): Html {
  return html`<ul style="margin:-8px 0 20px;padding:0 0 0 20px">${items.map((item) => html`<li style="margin:0 0 4px">${toHtml(item)}</li>`)}</ul>`;
}

/** A data table, so it has no presentation role. */
function renderFacts(facts: readonly MailFact[], margin: string): Html {
  return html`<table class="facts" width="100%" cellpadding="0" cellspacing="0" style="width:100%;margin:${margin};border-collapse:collapse;font-size:14px;line-height:22px">${facts.map(renderFact)}</table>`;
}

function renderFact({ name, lines }: MailFact): Html {
  return html`<tr><th class="soft line" scope="row" width="88" valign="top" align="left" style="padding:7px 12px 7px 0;border-top:1px solid ${COLORS.line};font-weight:400;color:${COLORS.soft}">${name}</th><td class="line" valign="top" style="padding:7px 0;border-top:1px solid ${COLORS.line}">${joined(lines)}</td></tr>`;
}

/** A fifth of the bytes, for a mail about many things. */
function renderCompactFacts(facts: readonly MailFact[], margin: string): Html {
  return html`<p style="margin:${margin};font-size:14px;line-height:22px">${facts.map(({ name, lines }, index) => html`${{ markup: index === 0 ? '' : '<br>' }}<span class="soft" style="color:${COLORS.soft}">${name}:</span> ${lines.map((line, at) => html`${at === 0 ? '' : ', '}${toHtml(line)}`)}`)}</p>`;
}

function joined(lines: readonly MailText[]): Html {
  return html`${lines.map((line, index) => html`${{ markup: index === 0 ? '' : '<br>' }}${toHtml(line)}`)}`;
}

/** The address below is text, for readers who copy it and for those who want to see where the button leads. */
function renderButton({ label, url }: MailLink): Html {
  return html`<table role="presentation" class="whole" cellpadding="0" cellspacing="0" style="margin:8px 0 16px;border-collapse:separate"><tr><td class="button" align="center" bgcolor="${COLORS.button}" style="border-radius:8px;background:${COLORS.button};mso-padding-alt:12px 24px"><a class="button-label" href="${url}" style="display:inline-block;padding:12px 24px;font-size:15px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none">${label}</a></td></tr></table>
<p class="soft" style="margin:0 0 24px;font-size:12px;line-height:18px;color:${COLORS.soft}">If the button does not work, copy this address into your browser:<br><span class="soft" style="word-break:break-all;color:${COLORS.soft}">${url}</span></p>`;
}

function renderLink({ label, url }: MailLink): Html {
  return html`<p style="margin:0 0 16px;font-weight:600"><a class="link" href="${url}" style="color:${COLORS.link};text-decoration:underline">${label}</a></p>`;
}

function renderCommands(lines: readonly string[]): Html {
  return html`<div class="inset ink" style="margin:0 0 20px;padding:12px 16px;border-radius:8px;background:${COLORS.inset};${MONO}">${lines.map((line) => html`<div style="padding:2px 0 2px 16px;text-indent:-16px">${line.split(' ').map(renderArgument)}</div>`)}</div>`;
}

/** A flag stays on one line: its hyphens would otherwise allow a break. */
function renderArgument(argument: string, index: number): Html {
  const space = index === 0 ? '' : ' ';
  return argument.startsWith('--')
    ? html`${space}<span style="white-space:nowrap">${argument}</span>`
    : html`${space}${argument}`;
}

/** The box clips what it contains: stacked marks of the sender cannot reach our own words. */
function renderQuoted({ title, facts, isCompact, apart, lines, note }: QuotedPart): Html {
  const isFactsOnly = apart === null && lines.length === 0 && note === null;
  return html`<p class="ink" style="margin:0 0 8px;font-size:14px;line-height:20px;font-weight:600;color:${COLORS.ink}">${title}</p>
<table role="presentation" class="line edge" width="100%" cellpadding="0" cellspacing="0" style="width:100%;margin:0 0 24px;border:1px solid ${COLORS.line};border-left:3px solid ${COLORS.edge};border-collapse:separate;border-radius:0 8px 8px 0"><tr><td style="padding:4px 16px 12px"><div style="overflow:hidden">
${isCompact ? renderCompactFacts(facts, '8px 0') : renderFacts(facts, isFactsOnly ? '0 0 -8px' : '0 0 8px')}
${apart === null ? html`` : renderApart(apart)}
${lines.length === 0 ? html`` : renderLines(lines)}
${note === null ? html`` : html`<p class="soft" style="margin:8px 0 0;font-size:13px;line-height:20px;color:${COLORS.soft}">${note}</p>`}
</div></td></tr></table>`;
}

function renderApart({ name, lines }: MailFact): Html {
  return html`<div class="caution ink" style="margin:4px 0 12px;padding:10px 14px;border-radius:8px;background:${COLORS.caution};font-size:14px;line-height:22px;color:${COLORS.ink}"><b style="font-weight:600">${name}</b><br>${joined(lines)}</div>`;
}

function renderLines(lines: readonly string[]): Html {
  return html`<div class="inset ink" dir="auto" style="padding:12px 16px;border-radius:8px;background:${COLORS.inset};font-size:14px;line-height:22px;white-space:pre-wrap;unicode-bidi:plaintext;overflow:hidden;color:${COLORS.ink}">${lines.map((line, index) => html`${{ markup: index === 0 ? '' : '<br>' }}${joinLinks(line)}`)}</div>`;
}

const MONO = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px;line-height:20px';
