import type { NoticedDraft } from '../db/queries/draft-notices.ts';
import { sendInstallationMail } from '../support/installation-mail.ts';
import { type ApprovalMailer, NAMED_HOLDS } from './approval-mail.ts';
import { breakLinks } from './sender-text.ts';

/** @throws if the server refused the mail, with the reason */
export async function mailDrafts(mailer: ApprovalMailer, to: string, drafts: readonly NoticedDraft[]): Promise<void> {
  const [first] = drafts;
  if (first === undefined) return;
  const what = drafts.length === 1 ? `a draft of “${breakLinks(first.name)}”` : `${drafts.length} template drafts`;
  const subject = `Waiting for your approval: ${what}`.slice(0, 200).toWellFormed();
  const from = mailer.mailFrom ?? `Postrider <no-reply@${mailer.sandboxDomain}>`;
  const text = toText(drafts, first.accountName, mailer.baseUrl);
  const verdict = await sendInstallationMail(mailer, { from, to, subject, text, tags: ['approval'] });
  if (verdict.kind === 'refused') throw new Error(`${verdict.code}: ${verdict.detail}`);
}

function toText(drafts: readonly NoticedDraft[], accountName: string, baseUrl: string): string {
  const [one] = drafts;
  const { slug, version } = one ?? { slug: '<slug>', version: 1 };
  const more = drafts.length - NAMED_HOLDS;
  return [
    `${drafts.length === 1 ? 'A template draft' : `${drafts.length} template drafts`} of ${accountName} wait${drafts.length === 1 ? 's' : ''} for an approver. No email uses a draft until an approver publishes it.`,
    '',
    ...drafts.slice(0, NAMED_HOLDS).flatMap(describe),
    ...(more > 0 ? [`And ${more} more: postrider templates drafts`, ''] : []),
    'To see what a draft changes and decide, in a terminal (sign in once with `postrider login`):',
    '',
    '  postrider templates drafts',
    `  postrider templates publish ${slug} --version ${version}`,
    `  postrider templates discard ${slug} --version ${version}`,
    '',
    'Over the API:',
    '',
    `  GET ${baseUrl}/keys/approvals/drafts`,
    `  POST ${baseUrl}/templates/${slug}/publish {"version": ${version}, "contentHash": "<contentHash of the draft>"}`,
    `  POST ${baseUrl}/templates/${slug}/discard {"version": ${version}}`,
    '',
  ].join('\n');
}

function describe({ name, slug, version, keyName, note }: NoticedDraft): string[] {
  return [
    `Version ${version} of ${slug}, written by the key ${keyName === null ? '(deleted)' : breakLinks(keyName)}`,
    'The text below comes from the author:',
    `> Name: ${breakLinks(name)}`,
    ...(note === null ? [] : [`> Note: ${breakLinks(note)}`]),
    '',
  ];
}
