import { isRecord, textOf } from './json-value.ts';
import type { Output } from './output.ts';
import { severalLines } from './untrusted-text.ts';
import type { View } from './view.ts';
import { showEmail } from './views/email.ts';
import { showEmailList } from './views/email-list.ts';
import { showOwnKey } from './views/own-key.ts';
import { showList, showRecord } from './views/plain.ts';
import { showRenderedTemplate } from './views/rendered-template.ts';
import { showRequestList } from './views/request-list.ts';
import { showSuppressed, showSuppressionList } from './views/suppression-list.ts';
import { showTemplate } from './views/template.ts';
import { showTemplateList } from './views/template-list.ts';

/** Answers that deserve their own form; every other operation gets a plain list or sheet of what it answers. */
const VIEWS: Readonly<Record<string, View>> = {
  'emails.get': showEmail,
  'emails.list': showEmailList,
  'keys.self': showOwnKey,
  'requests.list': showRequestList,
  'templates.create': showTemplate,
  'templates.delete': showTemplate,
  'templates.get': showTemplate,
  'templates.list': showTemplateList,
  'templates.render': showRenderedTemplate,
  'templates.update': showTemplate,
  'suppressions.list': showSuppressionList,
  'suppressions.create': showSuppressed,
};

/** Prints an operation's answer for people. */
export function renderAnswer(operationId: string, answer: unknown, output: Output, now: Date): void {
  if (!isRecord(answer)) {
    output.writeText(`${severalLines(textOf(answer)).trimEnd()}\n`);
    return;
  }
  const view = Object.hasOwn(VIEWS, operationId) ? VIEWS[operationId] : undefined;
  const plain = 'nextCursor' in answer ? showList : showRecord;
  (view ?? plain)(answer, output, now);
}
