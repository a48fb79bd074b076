import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differencesBetween } from '../../packages/cli/src/approvals/differences.ts';
import { readEditFile, writeEditFile } from '../../packages/cli/src/approvals/edit-file.ts';
import { contentOf, editsBetween } from '../../packages/cli/src/approvals/held-content.ts';
import type { Decision, HeldSends } from '../../packages/cli/src/approvals/held-sends.ts';
import { type Hold, readHold } from '../../packages/cli/src/approvals/hold.ts';
import { createInbox } from '../../packages/cli/src/approvals/inbox/create-inbox.ts';
import { drawInbox } from '../../packages/cli/src/approvals/inbox/draw-inbox.ts';
import { openEditor } from '../../packages/cli/src/approvals/open-editor.ts';
import type { TemplateDrafts } from '../../packages/cli/src/approvals/template-drafts.ts';
import { CliFailure } from '../../packages/cli/src/failure.ts';
import { foldText } from '../../packages/cli/src/output/fold-text.ts';
import { textWidth } from '../../packages/cli/src/output/text-width.ts';

const NOW = new Date('2026-01-31T09:00:00.000Z');
const NO_DRAFTS: TemplateDrafts = {
  list: async () => ({ drafts: [], total: 0, isComplete: true }),
  decide: async () => ({ kind: 'gone' }),
};

function heldSend(fields: Readonly<Record<string, unknown>> = {}): Hold {
  return readHold({
    ...{ id: 'h1', emailId: 'm1', status: 'pending', reasons: ['always'], revision: 1, contentHash: 'one' },
    ...{
      keyName: 'Agent',
      source: 'agent',
      channel: 'mcp',
      from: 'ada@sandbox.test',
      to: ['bob@x.example'],
      cc: [],
      bcc: [],
    },
    ...{ subject: 'Hello', text: 'Hi', html: null, attachments: [], scheduledAt: null, edited: [] },
    ...{ createdAt: NOW.toISOString(), expiresAt: '2026-02-03T09:00:00.000Z', ...fields },
  });
}

describe('the file of an edit', () => {
  it.each([
    [{}],
    [{ text: 'a\n\nb\n', html: '<p>x</p>\n' }],
    [{ text: null, html: '<p>x</p>' }],
    [{ text: 'no end', html: 'no end' }],
    [{ text: 'lines\r\nof another kind\r\n' }],
    [{ text: '===== text =====\n# no comment', html: '===== html =====' }],
    [{ to: ['"Doe, Jane" <jane@x.example>', 'b@x.example'], bcc: ['c@x.example'], scheduledAt: NOW.toISOString() }],
  ])('returns exactly what it was created from: %j', (fields) => {
    const hold = heldSend(fields);
    const verdict = readEditFile(writeEditFile(hold), hold);
    expect(verdict).toEqual({ ok: true, content: contentOf(hold) });
  });

  it('reports only what was changed', () => {
    const hold = heldSend({ cc: ['c@x.example'], scheduledAt: NOW.toISOString() });
    const file = writeEditFile(hold)
      .replace('To: bob@x.example', 'To: bob@x.example\nTo: eve@x.example')
      .replace(/^Cc: .*$/m, 'Cc: ')
      .replace(/^Scheduled-At: .*$/m, 'Scheduled-At:')
      .replaceAll('\n', '\r\n');
    const verdict = readEditFile(file, hold);
    if (!verdict.ok) throw new Error(verdict.message);
    expect(editsBetween(contentOf(hold), verdict.content)).toEqual({
      ...{ to: ['bob@x.example', 'eve@x.example'], cc: [], scheduled_at: 'PT0S' },
    });
  });

  it('is rejected with the line that is wrong', () => {
    const hold = heldSend();
    const read = (file: string) => readEditFile(file, hold);
    expect(read(writeEditFile(hold).replace('Subject:', 'Sujet:'))).toMatchObject({
      message: expect.stringMatching(/^Line \d+ is not a/),
    });
    expect(read('')).toMatchObject({ ok: false, message: 'The line "===== text =====" is missing.' });
  });
});

describe('a difference', () => {
  it('shows the changed lines with their context', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const changed = lines.with(10, 'another');
    const diff = differencesBetween(
      contentOf(heldSend({ text: lines.join('\n') })),
      contentOf(heldSend({ text: changed.join('\n') })),
    );
    expect(diff.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      ...[
        'title Text',
        'same line 8',
        'same line 9',
        'removed line 10',
        'added another',
        'same line 11',
        'same line 12',
        'same …',
      ],
    ]);
  });
});

describe('the editor', () => {
  it('keeps a mail private to its user, and leaves nothing behind, even when Ctrl-C is pressed in it', async () => {
    const heard: number[] = [];
    const hear = () => void heard.push(process.listenerCount('SIGINT'));
    process.on('SIGINT', hear);
    const before = process.listenerCount('SIGINT');
    const VISUAL = 'kill -INT $PPID; f() { mode=$(stat -c %a "$1"); echo "$mode $1" > "$1"; }; f';
    const [mode, path = ''] = (await openEditor('secret', { env: { ...process.env, VISUAL } })).trim().split(' ');
    process.off('SIGINT', hear);
    expect(mode).toBe('600');
    expect(existsSync(dirname(path))).toBe(false);
    // Another listener exists, so that the signal does not end the process.
    expect(heard).toEqual([before + 1]);
  });
});

describe('folded text', () => {
  it.each([
    'a long sentence of several words',
    `https://x.example/${'y'.repeat(70)}`,
    '漢字'.repeat(20),
    '  kept  spaces',
    '',
  ])('loses nothing and is never too wide: %j', (text) => {
    const lines = foldText(text, 11);
    expect(lines.every((line) => textWidth(line) <= 11)).toBe(true);
    expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  });
});

describe('a hold that changed meanwhile', () => {
  const key = (name: string) => ({ name, text: name });

  it('is shown with what changed, and decided after a confirmation, bound to the new content', async () => {
    const before = heldSend();
    const after = heldSend({ contentHash: 'two', revision: 2, to: ['eve@x.example'], text: 'Hi Eve' });
    const asked: Decision[] = [];
    const heldSends: HeldSends = {
      refusalReasons: async () => [],
      listPending: async () => ({ holds: asked.length < 2 ? [before] : [], total: 1 }),
      read: async () => after,
      async decide(_id, decision) {
        asked.push(decision);
        if (decision.contentHash !== 'two') return { kind: 'changed', hold: after };
        return { kind: 'decided', hold: { ...after, status: 'approved', outcome: 'queued' }, response: {} };
      },
    };
    const inbox = createInbox({ heldSends, templateDrafts: NO_DRAFTS, edit: async (file) => file, quit: () => {} });
    await inbox.refresh();
    const screen = () =>
      drawInbox(inbox.getState(), { columns: 60, rows: 14 }, NOW)
        .lines.map(({ text }) => text)
        .join('\n');
    await inbox.press(key('a'));
    await inbox.press(key('y'));
    expect(screen()).toContain('Another user changed it while you read it. Nothing was');
    expect(screen()).toMatch(/- bob@x\.example\n\+ eve@x\.example/);
    // A paste decides nothing.
    await inbox.press({ name: 'paste', text: 'yes' });
    expect(asked).toHaveLength(1);
    await inbox.press(key('y'));
    expect(asked).toEqual([
      { decision: 'approve', contentHash: 'one' },
      { decision: 'approve', contentHash: 'two' },
    ]);
    expect(inbox.getState()).toMatchObject({ dialog: null, notice: { text: 'Approved: Hello', tone: 'good' } });
  });

  it('is warned about before it is approved, if the acceptance check would refuse it', async () => {
    const asked: unknown[] = [];
    const heldSends: HeldSends = {
      refusalReasons: async ({ recipients }) => {
        asked.push(recipients);
        return recipients === null ? ['bob@x.example is on the suppression list.'] : [];
      },
      listPending: async () => ({ holds: [heldSend()], total: 1 }),
      read: async () => heldSend(),
      decide: async () => ({ kind: 'changed', hold: heldSend() }),
    };
    const edit = async (file: string) => file.replace('To: bob@x.example', 'To: ann@x.example');
    const inbox = createInbox({ heldSends, templateDrafts: NO_DRAFTS, edit, quit: () => {} });
    await inbox.refresh();
    const screen = () =>
      drawInbox(inbox.getState(), { columns: 60, rows: 60 }, NOW)
        .lines.map(({ text }) => text)
        .join('\n');
    await inbox.press(key('a'));
    expect(screen()).toContain('! bob@x.example is on the suppression list.');
    await inbox.press(key('e'));
    expect(screen()).not.toContain('suppression list');
    expect(asked).toEqual([null, ['ann@x.example']]);
  });

  it('is shown with the result of its own edits, if there are any', async () => {
    const after = heldSend({ contentHash: 'two', subject: 'Hello all', text: 'Pay 10 EUR' });
    const heldSends: HeldSends = {
      refusalReasons: async () => [],
      listPending: async () => ({ holds: [heldSend()], total: 1 }),
      read: async () => after,
      decide: async () => ({ kind: 'changed', hold: after }),
    };
    const edit = async (file: string) => file.replace('To: bob@x.example', 'To: ann@x.example');
    const inbox = createInbox({ heldSends, templateDrafts: NO_DRAFTS, edit, quit: () => {} });
    await inbox.refresh();
    await inbox.press(key('e'));
    await inbox.press(key('y'));
    const { lines } = drawInbox(inbox.getState(), { columns: 60, rows: 60 }, NOW);
    const screen = lines.map(({ text }) => text).join('\n');
    expect(screen).toMatch(
      /- Hi\n\+ Pay 10 EUR[\s\S]*Your changes, which would be applied to it:\nTo\n- bob@x\.example\n\+ ann@x\.example\n/,
    );
  });

  it('returns to the edits if they are rejected, with the reason, and keeps everything typed', async () => {
    const hold = heldSend();
    const files: string[] = [];
    const problem = {
      type: 'about:blank',
      title: 'x',
      status: 422,
      code: 'validation_failed',
      retryable: false,
      requestId: null,
    };
    const heldSends: HeldSends = {
      refusalReasons: async () => [],
      listPending: async () => ({ holds: [hold], total: 1 }),
      read: async () => hold,
      decide: async () => {
        throw new CliFailure(6, { ...problem, detail: 'edits.to: is no address.', fix: null });
      },
    };
    const edit = async (file: string) => {
      files.push(file);
      return file.replace('To: bob@x.example', 'To: nobody');
    };
    const inbox = createInbox({ heldSends, templateDrafts: NO_DRAFTS, edit, quit: () => {} });
    await inbox.refresh();
    for (const name of ['e', 'y']) await inbox.press(key(name));
    expect(inbox.getState()).toMatchObject({
      ...{ busy: null, notice: { text: 'edits.to: is no address.', tone: 'bad' } },
      dialog: { kind: 'approve', edited: { edits: { to: ['nobody'] } } },
    });
    await inbox.press(key('e'));
    expect(files[1]).toContain('To: nobody');
    for (const name of ['n', 'r', '1', 'W', 'h', 'y', 'enter']) await inbox.press(key(name));
    expect(inbox.getState()).toMatchObject({ notice: { tone: 'bad' }, dialog: { kind: 'note', draft: 'Why' } });
  });

  it.each([
    [20, 5],
    [60, 15],
    [200, 60],
  ])('fits into %i columns and %i rows, like every other screen', async (columns, rows) => {
    const holds = Array.from({ length: 30 }, (_, index) =>
      heldSend({ id: `h${index}`, subject: '漢字'.repeat(30), bcc: ['z@x.example'] }),
    );
    const heldSends: HeldSends = {
      refusalReasons: async () => [],
      listPending: async () => ({ holds, total: 30 }),
      read: async () => heldSend(),
      decide: async () => ({ kind: 'changed', hold: heldSend({ text: 'x'.repeat(500) }) }),
    };
    const inbox = createInbox({ heldSends, templateDrafts: NO_DRAFTS, edit: async () => 'broken', quit: () => {} });
    await inbox.refresh();
    for (const name of [
      'j',
      '?',
      'q',
      'enter',
      'G',
      'a',
      'n',
      'r',
      'enter',
      'x',
      'escape',
      'a',
      'y',
      'n',
      'e',
      'n',
      'escape',
      '/',
      'y',
    ]) {
      await inbox.press(key(name));
      const { lines } = drawInbox(inbox.getState(), { columns, rows }, NOW);
      expect(lines).toHaveLength(Math.max(4, rows));
      expect(lines.filter(({ text }) => textWidth(text) > columns)).toEqual([]);
    }
  });
});
