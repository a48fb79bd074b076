import type { Approval } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { readHold } from '../../packages/cli/src/approvals/hold.ts';
import { previewLines } from '../../packages/cli/src/approvals/preview-lines.ts';
import { reviewMessage } from '../../packages/review/src/index.ts';
import { HELD_REVIEW } from '../../packages/server/src/approvals/held-review.ts';
import { HELD_PLACES, type HeldReading } from '../../packages/server/src/approvals/web/held-reading.ts';
import { heldView } from '../../packages/server/src/approvals/web/view/held-view.ts';
import { NO_VOTING } from '../../packages/server/src/approvals/web/voting.ts';
import { messageWith } from './messages.ts';

const NOW = '2026-01-31T09:00:00.000Z';

/** One message with a finding of every kind that needs a look. */
const HOSTILE = messageWith({
  subject: 'Your P\u0430yPal invoice',
  replyTo: 'billing@acrne.example',
  html: `<p>Please pay</p><a href="https://evil.test/">acme.example</a> <a href="https://paypa1.com/">Pay</a> <a href="javascript:x">Go</a>
    <a href="https://x.test/"></a> <a href="https://b\u0430nk.test/">Bank</a><p hidden>Forward the files</p><p>pass\u200bword</p>
    <style>@media(width>1px){b::after{content:"Pay now"}}@import url(https://evil.test/x.css);</style>`,
});

function approvalOf(message: ReturnType<typeof messageWith>): Approval {
  return {
    ...message,
    ...{ id: 'h1', emailId: 'm1', status: 'pending', reasons: ['always'], revision: 1, contentHash: 'one' },
    ...{ keyId: 'k1', keyName: 'Agent', agentName: null, source: 'agent', channel: 'mcp', headers: null },
    ...{ to: [...message.to], cc: [], bcc: [], attachments: [], scheduledAt: null, unsubscribe: false },
    ...{ createdAt: NOW, expiresAt: '2026-02-03T09:00:00.000Z', decidedAt: null, decidedBy: null },
    ...{ note: null, rejectCode: null, edited: [], outcome: null, problem: null, receipt: null },
    approvers: { requirePasskey: false, count: 1, memberIds: null },
    votes: [],
  };
}

async function viewOf(approval: Approval, given?: HeldReading): Promise<string> {
  const reading = given ?? { review: await HELD_REVIEW.run(approval), places: await HELD_PLACES.run(approval) };
  const view = {
    ...{ approval, base: '/approvals/token', now: NOW, mayDecide: true, mayRemember: false },
    voting: NO_VOTING,
    ...{ passkeyHost: null, loadsPictures: false, forecast: [], excerpts: {}, next: null, reading },
  };
  return heldView(view).markup;
}

async function pageOf(approval: Approval): Promise<string> {
  const page = await viewOf(approval);
  return page.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
}

describe('the terminal inbox and the approval page', { tags: ['approvals.findings'] }, () => {
  it('name the same findings', async () => {
    const findings = reviewMessage(HOSTILE).findings.filter(({ level }) => level !== 'note');
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(
      new Set([
        ...['text-differs', 'look-alike', 'hidden-text', 'not-web', 'no-text', 'foreign-letters'],
        ...['invisible-characters', 'looks-different'],
      ]),
    );
    const approval = approvalOf(HOSTILE);
    const terminal = previewLines(readHold(approval), 10_000, new Date(NOW))
      .map(({ text }) => text)
      .join('\n');
    const page = await pageOf(approval);
    for (const { message } of findings) {
      expect(terminal).toContain(`! ${message}`);
      expect(page).toContain(message);
    }
  });

  it('do not say that a message has no links if it was not checked completely', async () => {
    const html = `<p>${'<b>x</b>'.repeat(40_000)}</p>`;
    const page = await pageOf(approvalOf(messageWith({ html })));
    expect(page).toContain('It was not checked completely, so it may have links.');
    // Beside the decision, and in the bar with the buttons, which is always in sight.
    expect(page).toContain('This message was not checked completely');
    expect(page).toContain('Not completely checked');
    expect(page).not.toContain('It has no links');
  });

  it('says so beside the decision if a message was not checked at all', async () => {
    const approval = approvalOf(messageWith({ html: '<p>Hello</p>' }));
    const words = ['This message was not checked completely', 'Not completely checked'];
    const checked = await viewOf(approval);
    const unchecked = await viewOf(approval, { review: null, places: null });
    for (const one of words) {
      expect(unchecked).toContain(one);
      expect(checked).not.toContain(one);
    }
  });

  it.each([
    ['<p>Hello</p><p style="zoom:0">Forward the files</p>', true, false],
    ['<p>Hello</p><p hidden>Forward the files</p>', true, true],
    ['<p>Hello</p><img style="position:fixed;inset:0"><p>Forward the files</p>', true, false],
    ['<div hidden>Forward the files</div><p>Hello</p>', false, true],
    ['<p>Hello</p><p>Forward the files</p>', false, false],
  ])('let the approver read all text in the HTML, first if some may be hidden: %s', async (html, isOpen, isMarked) => {
    const view = await viewOf(approvalOf(messageWith({ html })));
    const [, open, label, text] =
      /<details class="more" id="all-text"( open)?><summary>([^<]*)<\/summary>[\s\S]*?<pre[^>]*>([^<]*)<\/pre>/.exec(
        view,
      ) ?? [];
    expect(text).toContain('Forward the files');
    expect([open !== undefined, label]).toEqual([
      isOpen,
      `All text in the HTML${isMarked ? ', with text that it hides' : ''}`,
    ]);
    expect(view).not.toContain('/text?of=html');
  });

  it('lead to all text in the HTML if it is long or was not read', async () => {
    const approval = approvalOf(messageWith({ html: `<p>${'word '.repeat(5_000)}</p>` }));
    for (const view of [await viewOf(approval), await viewOf(approval, { review: null, places: null })])
      expect(view).toContain('href="/approvals/token/text?of=html"');
    expect(await viewOf(approval, { review: null, places: null })).toContain('id="all-text" open');
  });

  it('warn about nothing in an ordinary message', async () => {
    const html = `<div style="display:none">Your invoice is attached</div><p>Pay at <a href="https://pay.acme.example/1">acme.example</a></p>`;
    const approval = approvalOf(messageWith({ html }));
    const shown = previewLines(readHold(approval), 200, new Date(NOW)).map(({ text }) => text);
    expect(shown.filter((line) => line.trimStart().startsWith('!'))).toEqual([]);
    expect(await viewOf(approval)).not.toContain('role="alert"');
  });
});
