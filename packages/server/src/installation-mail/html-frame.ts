import { type Html, html } from '../html/page-markup.ts';
import { toHtml, toPlain } from './mail-text.ts';
import type { WrittenMail } from './written-mail.ts';

/** The light colors, in inline styles. Text has a contrast of at least 4.5:1 on every background here, light and dark. */
export const COLORS = {
  ground: '#f4f6f8',
  sheet: '#ffffff',
  inset: '#f6f8fa',
  ink: '#1c2430',
  soft: '#56616e',
  line: '#e1e6eb',
  edge: '#9aa7b4',
  button: '#14507a',
  link: '#0b4a78',
  caution: '#fff4d6',
} as const;

/** The document around a mail: 600 pixels at most, and the colors of a dark mail program. */
export function renderFrame({ subject, preheader, footer }: WrittenMail, content: Html): string {
  return html`<!doctype html>
<html lang="en" dir="ltr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${toPlain(subject)}</title><style>${{ markup: STYLE }}</style></head>
<body class="ground" style="margin:0;padding:0;background:${COLORS.ground};-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${toHtml(preheader)}${{ markup: '&#847; '.repeat(40) }}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" bgcolor="${COLORS.ground}" style="width:100%;background:${COLORS.ground}"><tr><td class="around" align="center" style="padding:32px 16px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="width:100%;max-width:600px;margin:0 auto;text-align:left;word-break:break-word;overflow-wrap:anywhere;${FONT}">
<tr><td class="ink" style="padding:0 4px 16px;font-size:15px;line-height:20px;font-weight:600;letter-spacing:-.01em;color:${COLORS.ink}">Postrider</td></tr>
<tr><td class="sheet line ink" bgcolor="${COLORS.sheet}" style="padding:32px 32px 16px;border:1px solid ${COLORS.line};border-radius:12px;background:${COLORS.sheet};font-size:15px;line-height:24px;color:${COLORS.ink}">
${content}
</td></tr>
<tr><td class="soft" style="padding:16px 4px 0;font-size:12px;line-height:18px;color:${COLORS.soft}">${toHtml(footer)}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table></body></html>
`.markup;
}

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** For mail programs that read style blocks. Inline styles are stronger, except than `!important`. */
const STYLE = `:root{color-scheme:light dark;supported-color-schemes:light dark}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
.facts tr:first-child>*{border-top:0!important}
@media (max-width:480px){.around{padding:16px 8px!important}.sheet{padding:24px 20px 8px!important}.whole{width:100%!important}.button-label{display:block!important}.facts th,.facts td{display:block!important;width:auto!important}.facts th{padding:8px 0 0!important}.facts td{padding:0 0 8px!important;border-top:0!important}}
@media (prefers-color-scheme:dark){.ground{background:#10161d!important}.sheet{background:#19222c!important}.inset{background:#121920!important}.caution{background:#3a2f12!important}.ink{color:#e6ecf2!important}.soft{color:#a3b0bd!important}.line{border-color:#2f3b48!important}.edge{border-left-color:#6b7787!important}.button{background:#a9d5f5!important}.button-label{color:#10161d!important}.link{color:#a9d5f5!important}}`;
