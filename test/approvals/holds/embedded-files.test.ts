import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embedsFiles } from '../../../packages/server/src/approvals/holds/embedded-files.ts';
import { type SubmissionApp, sendBySmtp, startSubmissionApp } from '../../harness/submission-client.ts';
import { holdingKey } from '../approving.ts';

describe('files within bodies', () => {
  it.each([
    ['a link to a data: URL', '<a href="data:application/zip;base64,UEsDBA==">Invoice</a>'],
    ['one without a type', '<a href="data:,x">x</a>'],
    ['one in capitals', '<a href=DATA:text/html,x>x</a>'],
    ['one with a tab and a line break inside', '<a href="da\tta\n:text/html,x">x</a>'],
    ['one with character references', '<a href="&#100;ata&colon;text/html,x">x</a>'],
    ['one with a reference that is a line break', '<a href="da&NewLine;ta:text/html,x">x</a>'],
    ['an object', '<object data="data:application/pdf;base64,JVBERi0="></object>'],
    ['an image', '<img src="data:image/png;base64,iVBORw0KGgo=">'],
    ['a style sheet', '<p style="background: url(data:image/png;base64,iVBORw0KGgo=)">x</p>'],
  ])('finds %s in HTML', (_name, html) => {
    expect(embedsFiles(html, 'x')).toBe(true);
  });

  it.each([
    ['uuencode', 'Hello\nbegin 644 invoice.zip\n#0V%T\n`\nend\n'],
    ['uuencode in base64', 'begin-base64 0755 invoice.zip\nUEsDBA==\n====\n'],
    ['uuencode after a carriage return', 'Hello\r\nbegin 644 a.zip\r\n'],
    ['yEnc', 'x\n=ybegin line=128 size=123 name=a.zip\n'],
    ['BinHex', '(This file must be converted with BinHex 4.0)\n:'],
  ])('finds %s in a text', (_name, text) => {
    expect(embedsFiles(null, text)).toBe(true);
    expect(embedsFiles('<p>x</p>', text)).toBe(true);
  });

  it.each([
    ['<p>Your data: see below. Metadata:x and a-data:x.</p>', 'Let us begin 644 things.\nWe begin 644\ndata:,x'],
    ['<a href="https://a.example/?data=x">x</a>', null],
  ])('finds none in %s', (html, text) => {
    expect(embedsFiles(html, text)).toBe(false);
  });
});

describe('the rule of attachments', { tags: ['holes.files-within-bodies'] }, () => {
  let server: SubmissionApp;
  let agent: string;
  beforeAll(async () => {
    server = await startSubmissionApp();
    ({ key: agent } = await holdingKey(server, { approvalMode: 'policy', holdWhen: { hasAttachments: true } }));
  });
  afterAll(() => server.close());

  const html = '<a href="data:application/zip;base64,UEsDBA==">Invoice</a>';
  const text = 'Hello\n\nbegin 644 invoice.zip\n#0V%T\n`\nend';

  it('holds a file within a body, on every path', async () => {
    for (const body of [{ html }, { text }]) {
      const held = await server.send({ to: 'ada@receiver.example', text: undefined, ...body }, { key: agent });
      expect(held.body).toMatchObject({ status: 'pending_approval', reasons: ['hasAttachments'] });
      const dry = await server.send({ to: 'ada@receiver.example', ...body, dry_run: true }, { key: agent });
      expect(dry.body.reasons).toEqual(['hasAttachments']);
    }
    const mail = { from: 'ada@sandbox.test', to: 'ada@receiver.example', subject: 'Hi', text };
    expect((await sendBySmtp(server, { key: agent }, mail)).reply).toMatch(/held for approval/);
    const template = { slug: 'files', name: 'Files', subject: 'Hi', text: '{{ file }}' };
    await server.call('POST', '/templates', { body: template });
    const rendered = { from: mail.from, to: mail.to, template: 'files', variables: { file: text } };
    expect((await server.call('POST', '/emails', { key: agent, body: rendered })).body).toMatchObject({
      status: 'pending_approval',
    });
    const sent = await server.send({ to: 'ada@receiver.example', text });
    const again = await server.call('POST', `/emails/${sent.body.id}/resend`, { key: agent });
    expect(again.body).toMatchObject({ status: 'pending_approval' });
  });

  it('lets a message without files through', async () => {
    const sent = await server.send(
      { to: 'ada@receiver.example', html: '<p>Your data: see below.</p>' },
      { key: agent },
    );
    expect(sent.body.status).toBe('queued');
  });
});
