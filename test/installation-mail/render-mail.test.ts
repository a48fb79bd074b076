import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { ours, words } from '../../packages/server/src/installation-mail/mail-text.ts';
import { renderMail } from '../../packages/server/src/installation-mail/render-mail.ts';
import { toLines } from '../../packages/server/src/installation-mail/sender-text.ts';
import type { WrittenMail } from '../../packages/server/src/installation-mail/written-mail.ts';
import { parsedLinks } from '../links/parsed-links.ts';

const HOSTILE =
  '</p><a href="https://evil.example/x">Review</a>\r\nBcc: spy@evil.example \u202egnp.exe\u200b www.evil.example';

function written(foreign: string): WrittenMail {
  const fact = { name: 'Name', lines: [words`${foreign}`] };
  return {
    subject: words`About ${foreign}`,
    preheader: words`About ${foreign}`,
    heading: words`About ${foreign}`,
    opening: [
      { kind: 'paragraph', text: words`From ${foreign}, at ${ours('14:00 UTC')}` },
      { kind: 'list', items: [words`${foreign}`] },
      { kind: 'facts', facts: [fact] },
      { kind: 'facts', facts: [fact], isCompact: true },
      { kind: 'title', text: words`${foreign}` },
    ],
    button: { label: 'Open', url: 'https://mail.example/open?a=1&b=2' },
    rest: [
      {
        ...{ kind: 'quoted', title: 'The text below comes from the sender:', facts: [fact], isCompact: false },
        ...{ apart: fact, lines: toLines(foreign), note: null },
      },
    ],
    footer: words`You know ${foreign}.`,
  };
}

describe('a mail of the installation', () => {
  it('links to nothing but the address of its button, whatever others wrote', {
    tags: ['holes.mail-to-approvers'],
  }, () => {
    const { subject, text, html } = renderMail(written(HOSTILE));
    expect(parsedLinks(html).map(({ value }) => value)).toEqual(['https://mail.example/open?a=1&b=2']);
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(text.match(/\S+:\/\/\S+/g)).toEqual(['https://mail.example/open?a=1&b=2']);
    for (const shown of [subject, text, html]) {
      expect(shown).not.toMatch(/evil\.example|\w@\w|www\.\w/);
      expect(shown).not.toMatch(/[\u202e\u200b]/);
    }
    expect(text).toContain('14:00 UTC');
    // Readers see the characters themselves: nothing but word joiners is added.
    expect(html.replaceAll('\u2060', '')).toContain('https://evil.example/x&quot;&gt;Review');
  });

  it('keeps the text of others on one line, so that it adds no header and no line of ours', () => {
    const { subject, text } = renderMail(written(HOSTILE));
    expect(subject).not.toMatch(/[\r\n]/);
    expect(subject.length).toBeLessThanOrEqual(200);
    const [, below = ''] = text.split('The text below comes from the sender:\n');
    const [quoted = ''] = below.split('\n\nYou know');
    expect(quoted.split('\n').filter((line) => line !== '' && line !== 'Name')).toSatisfy((lines: string[]) =>
      lines.every((line) => line.startsWith('> ')),
    );
  });

  it('cuts a subject between whole characters', () => {
    expect(renderMail(written('😀'.repeat(300))).subject.isWellFormed()).toBe(true);
  });

  it('shows the address of its button as text below it, and loads nothing', async () => {
    const { html } = renderMail(written('Ada'));
    expect(html).toContain('>https://mail.example/open?a=1&amp;b=2</span>');
    expect(html).not.toMatch(/<(?:img|script|link|iframe|form|object)|url\(|@import|@font-face|src=/i);
    const [, loaded] = [html, await PostalMime.parse(`Content-Type: text/html; charset=utf-8\r\n\r\n${html}`)];
    expect(loaded.html).toContain('<html lang="en"');
    expect(html.match(/<table(?![^>]*role="presentation")[^>]*>/g)).toEqual([
      expect.stringContaining('class="facts"'),
      expect.stringContaining('class="facts"'),
    ]);
    expect(html).toContain('name="color-scheme" content="light dark"');
  });

  it('shortens blank lines in a quotation, and counts every line ending', () => {
    expect(toLines('\n\na\r\nb\r\u2028c\n\n\n \n\u200b\nd\n\n')).toEqual(['a', 'b', '', 'c', '', 'd']);
  });
});
