import type { FindingCode } from '@postrider/core';
import { endingOf, isRefusedType } from '../../sending/content/attachment-name.ts';
import type { Findings } from '../findings.ts';
import type { InspectedHtml } from './inspect-html.ts';
import type { PlacedMessage } from './placed-message.ts';

type Found = Findings<FindingCode<'inbox-placement'>>;

/** Gmail truncates messages at 102 KB of html; other parts of its page add a little. */
const HTML_BYTES = 100 * 1024;
/** With fewer characters than this, an image has no real text next to it. */
const TEXT_CHARACTERS = 100;

/** Extensions that open as programs or contain macros, in addition to those that this service rejects. */
const RISKY = new Set(
  'pif cpl hta ps1 vbe jse wsf wsh reg dll sys iso img vhd vhdx apk app dmg docm dotm xlsm xltm pptm ppam xll chm scf url'.split(
    ' ',
  ),
);

/** Checks the visible content of a message; pure. */
export function judgeContent(message: PlacedMessage, inspected: InspectedHtml | null, findings: Found): void {
  const { html, text, filenames, isUnreadable } = message;
  if (isUnreadable) findings.add('inbox_unreadable');
  const hasText = text !== null && text.trim() !== '';
  const hasHtml = html !== null && html.trim() !== '';
  if (!hasText && !hasHtml && filenames.length === 0 && !isUnreadable) findings.add('inbox_empty');
  if (hasHtml && !hasText) findings.add('inbox_text_missing');
  if (html !== null && inspected !== null) judgeHtml(html, inspected, findings);
  judgeCharsets(message, findings);
  const risky = filenames.filter((filename) => isRefusedType(filename) || RISKY.has(endingOf(filename)));
  for (const filename of risky) findings.add('inbox_attachment_risky', `It is ${filename}.`);
}

function judgeHtml(html: string, inspected: InspectedHtml, findings: Found): void {
  const bytes = Buffer.byteLength(html);
  if (bytes > HTML_BYTES) findings.add('inbox_html_too_large', `It has ${Math.ceil(bytes / 1024)} KB.`);
  if (inspected.images > 0 && inspected.textCharacters < TEXT_CHARACTERS) {
    findings.add('inbox_mostly_images', `Images: ${inspected.images}, characters: ${inspected.textCharacters}.`);
  }
  if (inspected.imagesWithoutAlt > 0) findings.add('inbox_alt_missing', `There are ${inspected.imagesWithoutAlt}.`);
  if (inspected.hasForm) findings.add('inbox_form');
  if (inspected.hasScript) findings.add('inbox_script');
  if (inspected.hasEmbedded) findings.add('inbox_embedded');
}

/** Text that is or was decoded wrongly contains the replacement character. */
function judgeCharsets({ raw, html, text }: PlacedMessage, findings: Found): void {
  if (`${html ?? ''}${text ?? ''}`.includes('\uFFFD')) findings.add('inbox_charset_wrong');
  const types = raw?.toString('latin1').matchAll(/^content-type:[^\r\n]*(?:\r\n[ \t][^\r\n]*)*/gim) ?? [];
  for (const [type] of types) {
    const [, charset] = /;\s*charset\s*=\s*"?([^\s";]{1,60})/i.exec(type) ?? [];
    if (charset !== undefined && !isKnown(charset)) findings.add('inbox_charset_unknown', `It is \`${charset}\`.`);
  }
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== '';
  } catch {
    return false;
  }
}
