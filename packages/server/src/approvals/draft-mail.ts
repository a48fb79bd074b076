import type { NoticedDraft } from '../db/queries/draft-notices.ts';
import { ours, words } from '../installation-mail/mail-text.ts';
import type { MailPart, QuotedPart, WrittenMail } from '../installation-mail/written-mail.ts';
import { mailUser } from '../support/installation-mail.ts';
import { type ApprovalMailer, NAMED_HOLDS } from './approval-mail.ts';

/** @throws if the server refused the mail, with the reason */
export async function mailDrafts(mailer: ApprovalMailer, to: string, drafts: readonly NoticedDraft[]): Promise<void> {
  const [first] = drafts;
  if (first === undefined) return;
  await mailUser(mailer, { to, mail: writeDrafts(first, drafts, mailer.baseUrl), tags: ['approval'] });
}

function writeDrafts(first: NoticedDraft, drafts: readonly NoticedDraft[], baseUrl: string): WrittenMail {
  const { accountName, name } = first;
  const isOne = drafts.length === 1;
  const waiting = ours(isOne ? 'A template draft waits' : `${drafts.length} template drafts wait`);
  const more = drafts.length - NAMED_HOLDS;
  return {
    subject: isOne
      ? words`Waiting for your approval: a draft of “${name}”`
      : words`Waiting for your approval: ${drafts.length} template drafts`,
    preheader: ours('No email uses a draft until an approver publishes it.'),
    heading: words`${waiting} for your approval`,
    opening: [
      {
        kind: 'paragraph',
        text: words`${waiting} for an approver in ${accountName}. No email uses a draft until an approver publishes it.`,
      },
    ],
    button: { label: isOne ? 'Review the draft' : 'Review the drafts', url: `${baseUrl}/console/approvals` },
    rest: [
      ...drafts.slice(0, NAMED_HOLDS).flatMap((draft) => describe(draft, isOne)),
      ...(more > 0 ? [{ kind: 'paragraph' as const, text: ours(`And ${more} more: postrider templates drafts`) }] : []),
      ...(isOne ? [] : [{ kind: 'title' as const, text: ours('How to decide') }]),
      ...steps(first, baseUrl),
    ],
    footer: words`You get this email because you may decide template drafts of ${accountName}.`,
  };
}

function steps({ slug, version }: NoticedDraft, baseUrl: string): readonly MailPart[] {
  return [
    {
      kind: 'paragraph',
      text: ours('To see what a draft changes and decide, in a terminal (sign in once with postrider login):'),
    },
    {
      kind: 'commands',
      lines: [
        'postrider templates drafts',
        `postrider templates publish ${slug} --version ${version}`,
        `postrider templates discard ${slug} --version ${version}`,
      ],
    },
    { kind: 'paragraph', text: ours('Over the API:') },
    {
      kind: 'commands',
      lines: [
        `GET ${baseUrl}/keys/approvals/drafts`,
        `POST ${baseUrl}/templates/${slug}/publish {"version": ${version}, "contentHash": "<contentHash of the draft>"}`,
        `POST ${baseUrl}/templates/${slug}/discard {"version": ${version}}`,
      ],
    },
  ];
}

function describe(draft: NoticedDraft, isOne: boolean): readonly MailPart[] {
  const { slug, version, keyName } = draft;
  return [
    ...(isOne ? [] : [{ kind: 'title' as const, text: words`Version ${version} of ${slug}` }]),
    {
      kind: 'facts',
      facts: [
        ...(isOne ? [{ name: 'Template', lines: [words`${slug}, version ${version}`] }] : []),
        { name: 'Written by', lines: [keyName === null ? ours('a key that was deleted') : words`the key ${keyName}`] },
      ],
    },
    quoted(draft),
  ];
}

function quoted({ name, note }: NoticedDraft): QuotedPart {
  return {
    kind: 'quoted',
    title: 'The text below comes from the author:',
    facts: [
      { name: 'Name', lines: [words`${name}`] },
      ...(note === null ? [] : [{ name: 'Note', lines: [words`${note}`] }]),
    ],
    ...{ isCompact: false, apart: null, lines: [], note: null },
  };
}
