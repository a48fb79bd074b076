import type { StyleChange } from './changing-styles.ts';
import type { Remark } from './finding.ts';
import { hostOfMailbox, isWithin, placeOf } from './hosts.ts';

/** A remark about style rules, with the text that they add. */
export interface StyleRemark {
  readonly text: string;
  readonly remark: Remark;
}

/** What may look different to recipients, and why. */
export function judgeStyles(changes: readonly StyleChange[], from: string): readonly StyleRemark[] {
  const sender = hostOfMailbox(from);
  return changes.map(({ kind, text }) => {
    if (kind === 'text') return { text, remark: differs('warn', ADDED) };
    if (kind === 'sometimes') return { text, remark: differs('danger', SOMETIMES) };
    if (kind === 'time') return { text: '', remark: differs('warn', TIME) };
    if (kind === 'pointer') return { text: '', remark: differs('warn', POINTER) };
    if (kind === 'unread') return { text: '', remark: unread(text) };
    const host = placeOf(text)?.host ?? null;
    const isOrdinary = host !== null && (FONT_HOSTS.has(host) || (sender !== null && isWithin(host, sender)));
    const source = host === null ? 'the message itself or an incomplete address' : host;
    const message = kind === 'font' ? fontWords(source) : sheetWords(source);
    return { text: '', remark: differs(isOrdinary ? 'note' : 'warn', message) };
  });
}

/** Public services for fonts. A sender cannot choose what is in theirs. */
const FONT_HOSTS = new Set(['fonts.googleapis.com', 'fonts.gstatic.com', 'use.typekit.net', 'fonts.bunny.net']);

const LOOKS_DIFFERENT = 'This message may look different to its recipients:';
const ADDED = `${LOOKS_DIFFERENT} its style rules add this text, which some mail programs do not show.`;
const SOMETIMES = `${LOOKS_DIFFERENT} its style rules show this text to some of them only, so you may not see it here.`;
const TIME = `${LOOKS_DIFFERENT} an animation can hide or show parts of it after a delay.`;
const POINTER = `${LOOKS_DIFFERENT} parts of it appear or disappear under the mouse pointer.`;

function fontWords(source: string): string {
  return `${LOOKS_DIFFERENT} it loads a font from ${source}. A font can show other letters and digits than the text contains. It is not loaded here.`;
}

function sheetWords(source: string): string {
  return `${LOOKS_DIFFERENT} it loads style rules from ${source}. They were not checked and are not loaded here.`;
}

function unread(name: string): Remark {
  const message = `Its style rules use “${name}” in a way that the review cannot judge. Recipients may not see some of the text.`;
  return { kind: 'unclear-text', level: 'warn', message };
}

function differs(level: Remark['level'], message: string): Remark {
  return { kind: 'looks-different', level, message };
}
