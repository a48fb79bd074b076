import { describe, expect, it } from 'vitest';
import { readHold } from '../../packages/cli/src/approvals/hold.ts';
import { createInbox, type Inbox } from '../../packages/cli/src/approvals/inbox/create-inbox.ts';
import { drawInbox } from '../../packages/cli/src/approvals/inbox/draw-inbox.ts';
import { readDraft, type TemplateDraft } from '../../packages/cli/src/approvals/template-draft.ts';
import type { DraftDecision, DraftResult, TemplateDrafts } from '../../packages/cli/src/approvals/template-drafts.ts';
import { CliFailure } from '../../packages/cli/src/failure.ts';
import { textWidth } from '../../packages/cli/src/output/text-width.ts';

const NOW = new Date('2026-01-31T09:00:00.000Z');
const USUAL = { columns: 80, rows: 40 };

function draft(fields: Readonly<Record<string, unknown>> = {}): TemplateDraft {
  return readDraft({
    ...{ id: 'd1', templateId: 't1', slug: 'welcome', name: 'Welcome mail', version: 4, baseVersion: 3 },
    ...{ currentVersion: 3, contentHash: 'one', createdBy: 'k1', keyName: 'Agent 7', note: 'Shorter' },
    createdAt: '2026-01-31T08:55:00.000Z',
    changes: { text: { before: 'Hi\nPay 10 EUR\nBye', after: 'Hi\nPay 10 USD\nBye' } },
    ...fields,
  });
}

const SEND = readHold({
  ...{ id: 'h1', status: 'pending', reasons: ['always'], contentHash: 'one', keyName: 'Agent 7', source: 'api' },
  ...{ from: 'ada@sandbox.test', to: ['bob@x.example'], subject: 'Hello', text: 'Hi' },
  ...{ createdAt: NOW.toISOString(), expiresAt: '2026-02-03T09:00:00.000Z' },
});

interface Asked {
  readonly contentHash: string;
  readonly decision: DraftDecision;
}

/** An inbox over drafts whose list a test changes, and what it asked the server to decide. */
function inboxOf(
  drafts: readonly TemplateDraft[],
  answer: (draft: TemplateDraft) => DraftResult | CliFailure = () => ({ kind: 'decided' }),
) {
  const listed = { drafts, isComplete: true, fails: false };
  const asked: Asked[] = [];
  const templateDrafts: TemplateDrafts = {
    async list() {
      if (listed.fails) throw failure('The server is down.', null);
      return { drafts: listed.drafts, total: listed.drafts.length, isComplete: listed.isComplete };
    },
    async decide(shown, decision) {
      asked.push({ contentHash: shown.contentHash, decision });
      const answered = answer(shown);
      if (answered instanceof CliFailure) throw answered;
      return answered;
    },
  };
  const inbox = createInbox({
    heldSends: {
      refusalReasons: async () => [],
      listPending: async () => ({ holds: [SEND], total: 1 }),
      read: async () => SEND,
      decide: async () => ({ kind: 'decided', hold: { ...SEND, status: 'approved' }, response: {} }),
    },
    templateDrafts,
    edit: async (file) => file,
    quit: () => {},
  });
  return { inbox, listed, asked };
}

function failure(detail: string, fix: string | null): CliFailure {
  const problem = { type: 'about:blank', title: 'x', status: 403, code: 'x', retryable: false, requestId: null };
  return new CliFailure(6, { ...problem, detail, fix });
}

async function press(inbox: Inbox, ...names: readonly string[]): Promise<void> {
  for (const name of names) await inbox.press({ name, text: name.length === 1 ? name : '' });
}

function screenOf(inbox: Inbox, size = USUAL): string {
  return drawInbox(inbox.getState(), size, NOW)
    .lines.map(({ text }) => text)
    .join('\n');
}

describe('template drafts in the inbox', () => {
  it('are listed below held sends with slug, version, parts, author and age', async () => {
    const { inbox } = inboxOf([draft()]);
    await inbox.refresh();
    expect(screenOf(inbox)).toContain('Approvals: 2 waiting  |  1 is a draft');
    expect(screenOf(inbox)).toMatch(/\[ \] {2}71 h|\[ \] {2}72 h/);
    expect(screenOf(inbox)).toMatch(/\+\/- {2}draft +welcome version 4 +edits text +Agent 7 +5m ago/);
  });

  it('open with their difference to the current version, part by part', async () => {
    const changes = {
      subject: { before: 'Hello', after: 'Hello {{ name }}' },
      html: { before: '<p>Hi</p>', after: null },
      text: { before: null, after: 'Hi\n\nBye' },
    };
    const { inbox } = inboxOf([draft({ changes })]);
    await inbox.refresh();
    await press(inbox, 'j', 'enter');
    const screen = screenOf(inbox);
    expect(screen).toContain('Template    welcome (Welcome mail)\nDraft       version 4\nReplaces    version 3\n');
    expect(screen).toContain('Written by  key Agent 7\nWritten     5m ago (2026-01-31 08:55:00 UTC)\n');
    expect(screen).toContain('\nSubject\n- Hello\n+ Hello {{ name }}\n');
    expect(screen).toContain('\nHTML (removed)\n- <p>Hi</p>\n');
    expect(screen).toContain('\nText (new)\n+ Hi\n+\n+ Bye\n');
  });

  it('show their author’s text without escape sequences, and report hidden characters', async () => {
    const text = 'Thanks \u202eabc\u200b \u001b[31mred\u001b]0;owned\u0007';
    const { inbox } = inboxOf([
      draft({
        keyName: 'Eve\u001b[2J',
        note: 'see\u001b]0;x\u0007',
        changes: { text: { before: 'Thanks', after: text } },
      }),
    ]);
    await inbox.refresh();
    await press(inbox, 'j', 'enter');
    const screen = screenOf(inbox);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
    expect(screen).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\u200b]/);
    expect(screen).toContain('+ Thanks abc red\n');
    expect(screen).toMatch(/! It has \d+ invisible characters, not shown here\./);
  });

  it('warn when publishing undoes a version published after they were written', async () => {
    const { inbox } = inboxOf([draft({ baseVersion: 2 })]);
    await inbox.refresh();
    await press(inbox, 'j', 'enter');
    expect(screenOf(inbox)).toContain('! Version 3 was published after the draft was written.');
  });

  it.each([
    ['a', 'publish', 'Published: welcome version 4'],
    ['r', 'discard', 'Discarded: welcome version 4'],
  ] as const)('are decided by %s and y as they were shown, from the list too', async (key, decision, words) => {
    const { inbox, asked } = inboxOf([draft()]);
    await inbox.refresh();
    await press(inbox, 'j', key);
    // The difference is on the screen before anything is decided, and a paste decides nothing.
    expect(screenOf(inbox)).toContain('- Pay 10 EUR\n+ Pay 10 USD');
    await inbox.press({ name: 'paste', text: 'yyyy' });
    expect(asked).toEqual([]);
    await press(inbox, 'n', 'enter', key, 'y');
    expect(asked).toEqual([{ contentHash: 'one', decision }]);
    expect(inbox.getState()).toMatchObject({ opened: null, dialog: null, notice: { text: words, tone: 'good' } });
  });

  it('that changed are shown again, and published only after a second look', async () => {
    const after = draft({ contentHash: 'two', changes: { text: { before: 'Hi', after: 'Pay at evil.example' } } });
    const { inbox, asked, listed } = inboxOf([draft()], ({ contentHash }) =>
      contentHash === 'two' ? { kind: 'decided' } : { kind: 'changed', draft: after },
    );
    await inbox.refresh();
    await press(inbox, 'j', 'enter', 'a');
    listed.drafts = [after];
    await press(inbox, 'y');
    expect(screenOf(inbox)).toContain('It changed while you read it. Nothing was decided. Read it again.');
    expect(screenOf(inbox)).toContain('+ Pay at evil.example');
    await press(inbox, 'y');
    expect(asked).toHaveLength(1);
    await press(inbox, 'a', 'y');
    expect(asked.at(-1)).toEqual({ contentHash: 'two', decision: 'publish' });
  });

  it('that were decided elsewhere are reported, unless the list is cut short or the author replaced them', async () => {
    const { inbox, listed } = inboxOf([draft()]);
    await inbox.refresh();
    await press(inbox, 'j', 'enter');
    listed.drafts = [draft({ id: 'd2', version: 5 })];
    await inbox.refresh();
    expect(inbox.getState().dialog).toBeNull();
    listed.drafts = [];
    listed.isComplete = false;
    await inbox.refresh();
    expect(inbox.getState().dialog).toBeNull();
    listed.isComplete = true;
    await inbox.refresh();
    expect(screenOf(inbox)).toContain('welcome version 4 was published or discarded in the meantime');
    await press(inbox, 'escape');
    expect(inbox.getState()).toMatchObject({ opened: null, dialog: null, drafts: [] });
  });

  it('that cannot be decided show why and the fix, in as many lines as needed', async () => {
    const refusal = failure('This key wrote the draft.', 'Ask a person to decide.');
    const { inbox } = inboxOf([draft()], () => refusal);
    await inbox.refresh();
    await press(inbox, 'j', 'enter', 'a', 'y');
    expect(inbox.getState()).toMatchObject({ busy: null, opened: { id: 'd1' }, notice: { tone: 'bad' } });
    expect(screenOf(inbox, { columns: 30, rows: 12 })).toContain(
      'This key wrote the draft. Ask\na person to decide.\n',
    );
  });

  it('that cannot be listed leave the held sends usable', async () => {
    const { inbox, listed } = inboxOf([draft()]);
    listed.fails = true;
    await inbox.refresh();
    expect(screenOf(inbox)).toContain('The list may be old: template drafts: The server is down.');
    expect(screenOf(inbox)).toContain('bob@x.example');
    listed.fails = false;
    await inbox.refresh();
    expect(inbox.getState()).toMatchObject({ refreshError: null, drafts: [{ id: 'd1' }] });
  });

  it('cannot be selected or edited', async () => {
    const { inbox } = inboxOf([draft()]);
    await inbox.refresh();
    await press(inbox, '*');
    expect(inbox.getState().selected).toEqual(new Set(['h1']));
    await press(inbox, '*', 'j', 'space');
    expect(inbox.getState()).toMatchObject({
      selected: new Set(),
      notice: { text: expect.stringMatching(/one at a time/) },
    });
    await press(inbox, 'e');
    expect(inbox.getState()).toMatchObject({
      busy: null,
      notice: { text: expect.stringMatching(/cannot edit a draft here/) },
    });
  });

  it('match the filter by slug, name and author', async () => {
    const { inbox } = inboxOf([draft(), draft({ id: 'd2', slug: 'invoice', name: 'Invoice' })]);
    await inbox.refresh();
    await press(inbox, '/', ...'welcome mail');
    expect(screenOf(inbox)).toContain('welcome version 4');
    expect(screenOf(inbox)).not.toMatch(/invoice version|bob@x/);
  });

  it.each([
    [20, 5],
    [40, 12],
    [80, 24],
    [200, 60],
  ])('fit into %i columns and %i rows on every screen', async (columns, rows) => {
    const wide = '漢字'.repeat(60);
    const drafts = Array.from({ length: 30 }, (_, index) =>
      draft({
        ...{ id: `d${index}`, slug: `a-very-long-slug-${index}`.repeat(4), name: wide, note: wide },
        changes: { html: { before: 'x'.repeat(500), after: `${wide}\n\t\ty` } },
      }),
    );
    const { inbox } = inboxOf(drafts, () => failure('x '.repeat(300), 'y '.repeat(300)));
    await inbox.refresh();
    for (const name of ['G', 'space', 'enter', 'G', 'a', 'j', 'y', 'g', 'r', 'n', 'n', '?', 'q', 'p', 'escape', '/']) {
      await press(inbox, name);
      const { lines } = drawInbox(inbox.getState(), { columns, rows }, NOW);
      expect(lines).toHaveLength(rows);
      expect(lines.filter(({ text }) => textWidth(text) > columns)).toEqual([]);
    }
  });
});
