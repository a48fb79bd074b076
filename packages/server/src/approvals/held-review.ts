import type { Approval, ApprovalReview } from '@postrider/core';
import { cut, reviewMessage } from '@postrider/review';
import { threadJob } from '../threads/thread-job.ts';

/** More would not be read. */
const LINKS_MAX = 200;
const TEXT_CHARACTERS = 120;
const TARGET_CHARACTERS = 500;
const BODY_CHARACTERS = 20_000;

/** What an approver should look at in a held message. It runs in a thread, because a large body takes long. */
export const HELD_REVIEW = threadJob(import.meta.url, 'HELD_REVIEW', review);

/** All text in the HTML, for a message whose text is too long for the page. */
export const HTML_TEXT = threadJob(
  import.meta.url,
  'HTML_TEXT',
  (approval: Approval): string => reviewMessage(approval).html?.text ?? '',
);

function review(approval: Approval): ApprovalReview {
  const { findings, html, text } = reviewMessage(approval);
  const shown = html ?? text;
  const opened = (shown?.links ?? []).filter(({ kind }) => kind !== 'image');
  // Of a body with very many links and pictures, only all of them together are counted.
  const isCounted = shown === null || shown.links.length === shown.linkCount;
  const links = opened.slice(0, LINKS_MAX).map(({ kind, text: said, target }) => ({
    text: kind === 'form' ? 'A form' : cut(said, TEXT_CHARACTERS),
    target: cut(target, TARGET_CHARACTERS),
  }));
  const body = shown === null ? null : cut(shown.text, BODY_CHARACTERS);
  // Copies, because parts of a text keep the whole text in memory.
  return structuredClone({
    findings: [...findings],
    ...{ links, linkCount: isCounted ? opened.length : shown.linkCount },
    ...{ body, bodyIsCut: (shown?.text.length ?? 0) > BODY_CHARACTERS },
  });
}
