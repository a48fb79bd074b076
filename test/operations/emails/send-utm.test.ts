import { LIMITS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveText } from '../../../packages/server/src/sending/derive-text.ts';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const UTM = { source: 'newsletter', medium: 'email', campaign: 'spring' };
const ADDED = 'utm_source=newsletter&utm_medium=email&utm_campaign=spring';
const IN_HTML = ADDED.replaceAll('&', '&amp;');

describe('POST /emails with utm', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const send = (body: Record<string, unknown>) => server.send({ text: undefined, utm: UTM, ...body });
  async function stored(body: Record<string, unknown>): Promise<{ html: string | null; text: string | null }> {
    const response = await send(body);
    expect({ status: response.status, body: response.body }).toMatchObject({ status: 202 });
    return (await server.call('GET', `/emails/${response.body.id}`)).body;
  }

  it('tags every http and https link of HTML and text before queueing, and reads show it', {
    tags: [
      'service.utm',
      'send-request.utm',
      'utm.source',
      'utm.medium',
      'utm.campaign',
      'emails-send.utm',
      'contract-sending.utm',
      'contract-messages.rendered-body-utm',
    ],
  }, async () => {
    const html = '<p><a href="https://shop.test/?a=1&amp;b=2#c">one</a> <a href=http://shop.test>two</a></p>';
    const text = 'See https://shop.test/a, or http://shop.test/?b=1.';
    const subject = 'Tagged';
    const read = await stored({ html, text, subject });
    expect(read).toMatchObject({
      html: `<p><a href="https://shop.test/?a=1&amp;b=2&amp;${IN_HTML}#c">one</a> <a href=http://shop.test/?${IN_HTML}>two</a></p>`,
      text: `See https://shop.test/a?${ADDED}, or http://shop.test/?b=1&${ADDED}.`,
    });
    await expect.poll(async () => (await readCaptured(server, subject)).length, { timeout: 10_000 }).toBe(1);
    const [mail] = await readCaptured(server, subject);
    expect([mail?.parsed.html?.trim(), mail?.parsed.text?.trim()]).toEqual([read.html, read.text]);
  });

  it('adds term and content when they are set', { tags: ['utm.term', 'utm.content'] }, async () => {
    const { text } = await stored({ text: 'https://shop.test/', utm: { ...UTM, term: 'red shoes', content: 'top' } });
    expect(text).toBe(`https://shop.test/?${ADDED}&utm_term=red%20shoes&utm_content=top`);
  });

  it('keeps parameters the author set, unless override_existing says otherwise', {
    tags: ['utm.override-existing'],
  }, async () => {
    const html = '<a href="https://shop.test/?utm_source=partner&amp;utm_source=x">x</a>';
    expect((await stored({ html })).html).toContain(
      '?utm_source=partner&amp;utm_source=x&amp;utm_medium=email&amp;utm_campaign=spring"',
    );
    const utm = { ...UTM, override_existing: true };
    expect((await stored({ html, utm })).html).toContain(`?${IN_HTML}"`);
  });

  it('leaves the unsubscribe link, anchors and mailto unchanged', {
    tags: ['emails-send.utm-untouched', 'contract-sending.unsubscribe-untouched'],
  }, async () => {
    const html = [
      '<a href="https://list.test/off?a=1&amp;b=2">header</a>',
      '<a data-unsubscribe href="https://marked.test/off">marked</a>',
      '<a href="#top">anchor</a><a href="mailto:a@shop.test">mail</a><a href="/relative">relative</a>',
      '<a href="https://shop.test/?next={{unsubscribe_url}}">unsubscribe</a>',
      '<!-- <a href="https://shop.test/">comment</a> -->',
    ].join('');
    const headers = { 'List-Unsubscribe': '<https://list.test/off?a=1&b=2>' };
    const read = await stored({ html, headers });
    expect(read.html).toBe(html);
    // Nor are they tagged in the text that is derived of it.
    expect(read.text).toContain('https://marked.test/off)');
    expect(read.text).not.toContain('utm_');
  });

  it('tags links with template variables, which click tracking alone leaves unchanged', {
    tags: ['emails-send.utm-untouched'],
  }, async () => {
    const read = await stored({
      html: '<a href="https://shop.test/{{name}}#top">x</a>',
      text: 'https://shop.test/{{ id }}',
    });
    expect(read.html).toBe(`<a href="https://shop.test/{{name}}?${ADDED.replaceAll('&', '&amp;')}#top">x</a>`);
    expect(read.text).toBe(`https://shop.test/{{ id }}?${ADDED}`);
  });

  it('tags the links of a text that is derived from the HTML, once', async () => {
    const { text } = await stored({
      html: '<a href="https://shop.test/a">https://shop.test/a</a> <a href="https://b.test/">b</a>',
    });
    expect(text).toBe(`https://shop.test/a?${ADDED} b (https://b.test/?${ADDED})`);
  });

  it('derives the text from the tagged links, whatever they end in', async () => {
    const paths = ['Washington,_D.C.', 'Who?', 'Yahoo!', 'a;', 'b,', 'c*', 'd(e)', 'f?g=h.', 'i#j.'];
    const links = paths.map((path) => `<li><a href="https://shop.test/${path}">${path}</a></li>`);
    const shown = '<a href="https://shop.test/Q.E.D.">https://shop.test/Q.E.D.</a>';
    const { html, text } = await stored({ html: `<ul>${links.join('')}</ul>${shown}` });
    const hrefs = [...(html ?? '').matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    expect(hrefs[0]).toBe(`https://shop.test/Washington,_D.C.?${ADDED}`);
    const lines = paths.map((path, index) => `- ${path} (${hrefs[index]})`);
    expect(text).toBe(`${lines.join('\n')}\n\n${hrefs.at(-1)}`);
    // An edit of a held message derives the text again only if it sees that it was derived.
    expect(text).toBe(deriveText(html ?? ''));
  });

  it('leaves an address that is not a link of the HTML unchanged in both bodies', async () => {
    const read = await stored({ html: '<p>https://shop.test/a</p>' });
    expect(read).toMatchObject({ html: '<p>https://shop.test/a</p>', text: 'https://shop.test/a' });
  });

  it('tags nothing without utm', async () => {
    const html = '<a href="https://shop.test/">x</a>';
    expect((await stored({ html, utm: undefined })).html).toBe(html);
  });

  it('keeps the parameters of each item of a batch apart', { tags: ['emails-batch.utm'] }, async () => {
    const item = (campaign: string | null) => ({
      ...{ from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Batch', text: 'https://shop.test/' },
      ...(campaign === null ? {} : { utm: { ...UTM, campaign } }),
    });
    const { status, body } = await server.call('POST', '/emails/batch', {
      body: { emails: [item('one'), item(null), item('two')] },
    });
    expect(status).toBe(207);
    const texts = await Promise.all(
      body.results.map(async ({ id }: { id: string }) => (await server.call('GET', `/emails/${id}`)).body.text),
    );
    const tagged = (campaign: string) =>
      `https://shop.test/?utm_source=newsletter&utm_medium=email&utm_campaign=${campaign}`;
    expect(texts).toEqual([tagged('one'), 'https://shop.test/', tagged('two')]);
  });

  it.each([
    [{ source: undefined }, ['utm.source', 'required']],
    [{ medium: undefined }, ['utm.medium', 'required']],
    [{ campaign: undefined }, ['utm.campaign', 'required']],
    [{ source: '' }, ['utm.source', 'too_short']],
    [{ content: 'x'.repeat(256) }, ['utm.content', 'too_long']],
    [{ term: 5 }, ['utm.term', 'invalid_type']],
    [{ override_existing: 1 }, ['utm.override_existing', 'invalid_type']],
    [{ campain: 'x' }, ['utm.campain', 'unknown_field']],
  ] as const)('rejects utm with %j', async (wrong, field) => {
    expectInvalid(await send({ text: 'x', utm: { ...UTM, ...wrong } }), field);
  });

  it('accepts values of 255 characters of any kind', async () => {
    const campaign = 'ü&"<\'+%{{x}} '.repeat(20).slice(0, 255);
    const { html } = await stored({ html: '<a href="https://shop.test/">x</a>', utm: { ...UTM, campaign } });
    const [, href = ''] = /href="([^"]+)"/.exec(html ?? '') ?? [];
    expect(new URL(href.replaceAll('&amp;', '&')).searchParams.get('utm_campaign')).toBe(campaign);
  });

  it('rejects a body that becomes too long by its tags', async () => {
    const utm = { ...UTM, campaign: 'ü'.repeat(255), content: 'ü'.repeat(255) };
    const html = '<a href="http://a">x</a>'.repeat(60_000);
    expectInvalid(await send({ html, text: '', utm }), ['html', 'too_long']);
    const text = 'http://a '.repeat(LIMITS.bodyBytes / 9);
    expectInvalid(await send({ text, utm }), ['text', 'too_long']);
  });
});
