import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import type { Browser, Frame, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decide, decidingKey } from '../approvals/approving.ts';
import { type AppHostServer, serveAppHost } from '../harness/app-host/serve-host.ts';
import type { ShownApp } from '../harness/app-host/shown-app.ts';
import { startBrowser } from '../harness/browser.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectApps } from './connect-apps.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A folder for pictures of the views, if someone wants to look at them. */
const PICTURES = process.env['VIEW_PICTURES'];

let server: TestApp;
let host: AppHostServer;
let browser: Browser;
let client: Client;
let key: string;
let decider: string;
const pages: Page[] = [];

beforeAll(async () => {
  [server, host, browser] = await Promise.all([startTestApp(), serveAppHost(), startBrowser()]);
  const scopes = ['emails:send', 'emails:read', 'emails:content', 'emails:cancel'];
  key = (await server.call('POST', '/keys', { body: { name: 'Agent', scopes, approvalMode: 'always' } })).body.key;
  decider = await decidingKey(server);
  client = await connectApps(server, { key });
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});
afterAll(async () => {
  await client.close();
  await Promise.all([browser.close(), host.close()]);
  await server.close();
});

const EMAIL = {
  ...{ from: 'Ada Lovelace <ada@sandbox.test>', to: ['delivered@sandbox.test'], bcc: ['bounced@sandbox.test'] },
  subject: 'Your invoice for October',
  html: '<p>Hello,</p><p>please pay at <a href="https://pay.evil.example/login?id=7">https://bank.example/pay</a> or read <a href="https://sandbox.test/help">our help</a>.</p>',
  attachments: [{ filename: 'invoice.pdf', content: Buffer.from('%PDF-1.4 example').toString('base64') }],
};
const HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>';

interface Shown {
  readonly page: Page;
  readonly frame: Frame;
  /** Requests other than those of the client's own page. */
  readonly requests: readonly string[];
}

interface Overrides extends Partial<Omit<ShownApp, 'html' | 'tools' | 'result'>> {
  /** Changes what the server answers to the view. */
  readonly onAnswer?: (answer: CallToolResult) => CallToolResult;
}

/** The result of a tool in the page of a client. */
async function show(
  result: CallToolResult,
  { onAnswer = (answer) => answer, ...overrides }: Overrides = {},
): Promise<Shown> {
  const { tools } = await client.listTools();
  const uri = tools.map(({ _meta }) => uiOf(_meta).resourceUri).find((given) => given !== undefined);
  const [content] = (await client.readResource({ uri: uri ?? '' })).contents;
  const html = content !== undefined && 'text' in content ? content.text : '';
  const { theme = 'light', ...context } = overrides.context ?? {};
  const { width = 640 } = overrides;
  const browserContext = await browser.newContext({ viewport: { width, height: 1_000 }, colorScheme: theme });
  const page = await browserContext.newPage();
  pages.push(page);
  const requests: string[] = [];
  const judge = (request: Request) => {
    const { pathname, port } = new URL(request.url());
    const isOwn = port === new URL(host.url).port && ['/', '/host.js', '/sandbox'].includes(pathname);
    // What the policy blocks is not sent.
    if (!isOwn && request.failure()?.errorText !== 'csp') requests.push(request.url());
  };
  page.on('requestfinished', judge);
  page.on('requestfailed', judge);
  await page.addInitScript({ content: AXE });
  await page.exposeFunction(
    'callServer',
    async (name: string, given: Record<string, unknown>) =>
      onAnswer((await client.callTool({ name, arguments: given })) as CallToolResult), // Not a task.
  );
  await page.goto(host.url);
  await page.evaluate((app) => window.showApp(app), {
    ...{
      html,
      result,
      given: {},
      capabilities: { serverTools: {}, openLinks: {} },
      opensLinks: true,
      heightMax: 2_000,
    },
    ...overrides,
    ...{ width, context: { theme, timeZone: 'Europe/Berlin', ...context } },
    tools: tools.map(({ name, _meta }) => ({ name, visibility: uiOf(_meta).visibility ?? ['model', 'app'] })),
  });
  const frame = page.frames().at(-1);
  if (frame === undefined) throw new Error('no frame');
  return { page, frame, requests };
}

function uiOf(meta: Readonly<Record<string, unknown>> | undefined) {
  return (meta?.['ui'] ?? {}) as { readonly resourceUri?: string; readonly visibility?: readonly string[] }; // SEP-1865.
}

async function send(fields: Readonly<Record<string, unknown>> = {}): Promise<CallToolResult & { approvalId: string }> {
  // The same content again would be the same message.
  const given = { ...EMAIL, idempotency_key: crypto.randomUUID(), ...fields };
  const result = await client.callTool({ name: 'send_email', arguments: given });
  const { approvalId = '' } = result.structuredContent as { readonly approvalId?: string }; // A send.
  return { ...result, approvalId };
}

/** A held message, read by the view, in a frame of its height. */
async function showHeld(fields: Readonly<Record<string, unknown>> = {}, overrides: Overrides = {}) {
  const { approvalId, ...result } = await send(fields);
  const shown = await show(result, overrides);
  await shown.frame.getByText('Content hash').waitFor();
  await frameResized(shown.frame);
  return { ...shown, approvalId };
}

/** Waits until the client has given the frame the height of its content, which it does after the content is drawn. */
async function frameResized(frame: Frame): Promise<void> {
  const missingHeight = () =>
    frame.evaluate(() => {
      const height = document.querySelector('main')?.getBoundingClientRect().height ?? Number.NaN;
      // The view reports no more.
      return Math.min(Math.ceil(height), 1_600) - window.innerHeight;
    });
  await expect.poll(missingHeight).toBe(0);
}

const recordOf = (page: Page) => page.evaluate(() => window.hostRecord);
// Visible text only, as a reader sees it.
// biome-ignore lint/performance/useDomNodeTextContent: see above
const textOf = (frame: Frame) => frame.evaluate(() => document.querySelector('main')?.innerText ?? '');

async function picture({ page }: Shown, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  const height = (await recordOf(page)).heights.at(-1) ?? 0;
  await page.setViewportSize({ width: page.viewportSize()?.width ?? 0, height: height + 20 });
  // A frame of another process is drawn later.
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

/** What does not fit, and what axe finds. */
async function faultsOf({ frame }: Shown): Promise<readonly string[]> {
  return await frame.evaluate(async () => {
    const { documentElement: root } = document;
    const wide = root.scrollWidth > root.clientWidth ? [`${root.scrollWidth - root.clientWidth} px too wide`] : [];
    // biome-ignore lint/suspicious/noExplicitAny: axe has no types here.
    const { violations } = await (window as any).axe.run();
    return [
      ...wide,
      ...violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`),
    ];
  });
}

describe('the view of a held send', () => {
  it('shows what an approver reads, with bcc recipients apart and where links lead', async () => {
    const shown = await showHeld();
    const text = await textOf(shown.frame);
    for (const part of [
      ...[
        'Held email',
        'Waiting for approval',
        'Expires in ',
        'Your invoice for October',
        'Ada Lovelace',
        'delivered@',
      ],
      ...['A blind copy, which the other recipients do not see:\nbounced@sandbox.test'],
      ...[
        'This message may deceive its readers',
        'The text names bank.example, but the link leads to pay.evil.example.',
      ],
      ...['https://pay.evil.example/login?id=7', 'Every email from this key needs approval.', 'invoice.pdf 16 bytes'],
      ...['please pay at', '2 links', 'Nothing can be approved in this view.'],
    ])
      expect(text).toContain(part);
    const { body } = await server.call('GET', `/keys/approvals/${shown.approvalId}`);
    expect(text).toContain(body.contentHash);
    await picture(shown, 'pending-light');
  });

  it('leads to the signed-in page through the client, after a click of a person', async () => {
    const { page, frame, approvalId } = await showHeld();
    await frame.evaluate(() => document.querySelector('button')?.click());
    expect((await recordOf(page)).opened).toEqual([]);
    await frame.getByRole('button', { name: 'Open the page to decide' }).click();
    await expect
      .poll(async () => (await recordOf(page)).opened)
      .toEqual([`${server.baseUrl}/approvals/open/${approvalId}`]);
  });

  it('shows the address if the client does not open it', async () => {
    const { frame, approvalId } = await showHeld({}, { opensLinks: false });
    await frame.getByRole('button').click();
    await frame.getByText(`${server.baseUrl}/approvals/open/${approvalId}`).waitFor();
  });

  it.each([
    ['approved', { decision: 'approve', edits: { subject: 'Corrected' } }, 'They changed the subject.'],
    ['rejected', { decision: 'reject', rejectCode: 'wrong_recipient', note: 'Ask Bob' }, 'They wrote: “Ask Bob”'],
  ] as const)('changes by itself when it is %s', async (status, body, words) => {
    const shown = await showHeld();
    expect(await decide(server, decider, shown.approvalId, body)).toMatchObject({ status: 200 });
    await shown.frame.locator(`[data-status=${status}]`).waitFor();
    expect(await textOf(shown.frame)).toContain(words);
    expect(await faultsOf(shown)).toEqual([]);
    await picture(shown, status);
    // It is over: nothing is read any more.
    const calls = async () => (await recordOf(shown.page)).methods.filter((method) => method === 'tools/call').length;
    const before = await calls();
    await shown.page.waitForTimeout(1_500);
    expect(await calls()).toBe(before);
  });

  it('keeps what the reader opened when the hold changes', async () => {
    const html = Array.from({ length: 9 }, (_, index) => `<a href="https://sandbox.test/${index}">Page ${index}</a>`);
    const { frame, approvalId } = await showHeld({ html: html.join(' ') });
    // Just after the resize of a frame from another process, the browser can lose a click of the mouse.
    await frame.getByText('Show 5 more links').dispatchEvent('click');
    await frame.getByText('https://sandbox.test/8').waitFor();
    await decide(server, decider, approvalId, { decision: 'reject', rejectCode: 'other' });
    await frame.locator('[data-status=rejected]').waitFor();
    expect(await frame.getByText('https://sandbox.test/8').isVisible()).toBe(true);
  });

  it('keeps the links and remarks of the same content if a busy server does not send them again', async () => {
    let isBusy = false;
    const onAnswer = (answer: CallToolResult): CallToolResult =>
      isBusy ? { ...answer, structuredContent: { ...Object(answer.structuredContent), review: null } } : answer;
    const { frame, approvalId } = await showHeld({}, { onAnswer });
    await frame.getByText('https://pay.evil.example/login?id=7').first().waitFor();
    isBusy = true;
    await decide(server, decider, approvalId, { decision: 'reject', rejectCode: 'other' });
    await frame.locator('[data-status=rejected]').waitFor();
    expect(await textOf(frame)).toContain('https://pay.evil.example/login?id=7');
  });

  it('lists the holds of a batch, and reads each of them', async () => {
    const emails = ['First', 'Second', 'Third'].map((subject) => ({ ...EMAIL, subject }));
    const result = await client.callTool({ name: 'send_email_batch', arguments: { emails } });
    const shown = await show(result);
    for (const { subject } of emails) await shown.frame.locator('summary').getByText(subject).waitFor();
    await frameResized(shown.frame);
    const text = await textOf(shown.frame);
    expect(text).toContain('3 emails wait for approval');
    // As above: the browser can lose a click of the mouse here.
    await shown.frame.locator('summary').getByText('Second').dispatchEvent('click');
    expect(await shown.frame.getByRole('button', { name: 'Open the page to decide' }).count()).toBe(2);
    expect(await faultsOf(shown)).toEqual([]);
    await picture(shown, 'batch');
  });

  it('shows a hold that was read or waited for', async () => {
    const { structuredContent } = await send({ subject: 'Waited for' });
    const { id } = structuredContent as { readonly id: string }; // A held send.
    const result = await client.callTool({ name: 'wait_for_email', arguments: { id, wait: 1 } });
    const { frame } = await show(result);
    await frame.getByText('Content hash').waitFor();
    expect(await textOf(frame)).toContain('Waited for');
  });

  it.each([
    ['a refusal', { from: 'nobody@unverified.example' }, 'Refused: '],
    ['a dry run', { subject: '' }, 'Refused: '],
  ])('says in one line what %s is', async (_name, fields, words) => {
    const shown = await show(await send(fields));
    await expect.poll(() => textOf(shown.frame)).toContain(words);
    expect(await faultsOf(shown)).toEqual([]);
    expect((await recordOf(shown.page)).heights.at(-1)).toBeLessThan(160);
    await picture(shown, 'refused');
  });

  it('shows what the result says if the client does not let it read', async () => {
    const { approvalId, ...result } = await send({ subject: 'Unread' });
    const shown = await show(result, { capabilities: { openLinks: {} } });
    await shown.frame.getByText('This client does not let this view read the message.').waitFor();
    await frameResized(shown.frame);
    await shown.frame.getByRole('button').click();
    await expect
      .poll(async () => (await recordOf(shown.page)).opened)
      .toEqual([`${server.baseUrl}/approvals/open/${approvalId}`]);
    expect((await recordOf(shown.page)).methods).not.toContain('tools/call');
    expect(await faultsOf(shown)).toEqual([]);
    await picture(shown, 'unread');
  });
});

describe('the view in any client', () => {
  it.each([
    ['light', 640],
    ['dark', 640],
    ['light', 300],
    ['dark', 300],
  ] as const)('fits and is accessible (%s, %i px)', async (theme, width) => {
    const shown = await showHeld({}, { width, context: { theme, timeZone: 'UTC' } });
    expect(await faultsOf(shown)).toEqual([]);
    await picture(shown, `${theme}-${width}`);
  });

  it('follows the theme of the client, also against that of the system', async () => {
    const { page, frame } = await showHeld();
    const ground = () =>
      frame.evaluate(() => getComputedStyle(document.querySelector('.card') ?? document.body).backgroundColor);
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.evaluate(() => window.changeContext({ theme: 'dark' }));
    await expect.poll(ground).toBe('rgb(22, 24, 29)');
  });

  it('reports the height of its content, and no more than its limit for a message of the largest size', async () => {
    const shown = await showHeld();
    const { heights, methods, faults } = await recordOf(shown.page);
    const real = await shown.frame.evaluate(() => document.querySelector('main')?.getBoundingClientRect().height ?? 0);
    expect(heights.at(-1)).toBe(Math.ceil(real));
    expect(faults).toEqual([]);
    expect(new Set(methods)).toEqual(
      new Set([
        ...['ui/notifications/sandbox-proxy-ready', 'ui/initialize', 'ui/notifications/initialized'],
        ...['ui/notifications/size-changed', 'tools/call'],
      ]),
    );
    const huge = await showHeld({
      subject: 'Long '.repeat(190),
      to: Array.from({ length: 45 }, (_, index) => `${'x'.repeat(50)}${index}@sandbox.test`),
      html: `${'<p>Paragraph</p>'.repeat(20_000)}${'<a href="https://x.example/a">https://y.example</a> '.repeat(500)}`,
      attachments: Array.from({ length: 20 }, (_, index) => ({
        filename: `${'f'.repeat(100)}${index}.txt`,
        content: 'QUJD',
      })),
    });
    for (const height of (await recordOf(huge.page)).heights) expect(height).toBeLessThanOrEqual(1_600);
    expect(await faultsOf(huge)).toEqual([]);
    await picture(huge, 'huge');
  });
});

describe('hostile content', { tags: ['holes.held-view'] }, () => {
  it('stays text, wherever it is', async () => {
    const shown = await showHeld({
      ...{ subject: HOSTILE, from: `"${HOSTILE.replaceAll('"', "'")}" <ada@sandbox.test>` },
      html: `${HOSTILE}<p>&lt;script&gt;window.broken=1&lt;/script&gt;</p><a href="javascript:window.broken=1">${HOSTILE}Click</a><iframe srcdoc="x"></iframe>`,
      attachments: [{ filename: '<img src=x onerror=broken=1>.txt', content: 'QUJD' }],
    });
    expect(await textOf(shown.frame)).toContain('<script>window.broken=1</script>');
    const found = await shown.frame.evaluate(() => ({
      broken: 'broken' in window,
      elements: document.querySelectorAll('main :is(a, img, script, iframe, form, input, object, style, link)').length,
    }));
    expect(found).toEqual({ broken: false, elements: 0 });
    expect(shown.requests).toEqual([]);
    expect(await faultsOf(shown)).toEqual([]);
    await picture(shown, 'hostile');
  });

  it('cannot change the order of the text around it, and is checked for look-alikes', async () => {
    const shown = await showHeld({
      subject: 'שלום עולם (12.5) – Rechnung',
      from: '"\u0430pple.com" <ada@sandbox.test>',
      html: '<p dir="rtl">שלום <a href="https://xn--pple-43d.com/">apple.com</a></p>',
      attachments: [{ filename: 'חשבון.txt', content: 'QUJD' }],
    });
    const unisolated = await shown.frame.evaluate(() => {
      const isRightToLeft = /\p{Script=Hebrew}/u;
      const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      while (walker.nextNode()) {
        const text = walker.currentNode.nodeValue ?? '';
        if (isRightToLeft.test(text) && walker.currentNode.parentElement?.closest('bdi, pre') === null)
          found.push(text);
      }
      return found;
    });
    expect(unisolated).toEqual([]);
    const text = await textOf(shown.frame);
    expect(text).toContain('xn--pple-43d.com');
    expect(text).toContain('This message may deceive its readers');
    expect(await faultsOf(shown)).toEqual([]);
    await picture(shown, 'right-to-left');
  });
});

describe('the frame has no authority', { tags: ['holes.held-view'] }, () => {
  it('makes no request, whatever runs in it', async () => {
    const { frame, page, requests } = await showHeld();
    const outcomes = await frame.evaluate(async () => {
      const to = 'http://127.0.0.1:9/leak';
      const attempt = async (run: () => unknown) => {
        try {
          await run();
          return 'done';
        } catch (error) {
          return error instanceof Error ? error.name : 'refused';
        }
      };
      const load = (name: 'img' | 'iframe' | 'link' | 'object', field: string) => () => {
        const made = document.createElement(name);
        if (name === 'link') made.setAttribute('rel', 'stylesheet');
        made.setAttribute(field, to);
        document.body.append(made);
      };
      for (const run of [load('img', 'src'), load('iframe', 'src'), load('link', 'href')]) await attempt(run);
      document.body.style.backgroundImage = `url(${to})`;
      const form = document.createElement('form');
      form.action = to;
      document.body.append(form);
      await attempt(() => form.submit());
      await attempt(() => navigator.sendBeacon(to, 'x'));
      await attempt(() => window.open(to));
      const inline = document.createElement('script');
      return {
        fetch: await attempt(() => fetch(to)),
        // Later, because the tools of the browser may do more than the page.
        eval: await new Promise((resolve) => {
          // biome-ignore lint/security/noGlobalEval: what a policy must prevent.
          setTimeout(() => resolve(attempt(() => globalThis.eval('window.broken = 1'))));
        }),
        markup: await attempt(() => {
          document.body.innerHTML = '<b>x</b>';
        }),
        script: await attempt(() => {
          inline.text = 'window.broken = 1';
          document.body.append(inline);
        }),
        storage: await attempt(() => localStorage.length),
        cookie: await attempt(() => document.cookie),
        parent: await attempt(() => window.parent.document.title),
        top: await attempt(() => {
          if (window.top !== null) window.top.location.href = to;
        }),
        broken: 'broken' in window,
      };
    });
    await page.waitForTimeout(500);
    expect(requests).toEqual([]);
    expect(new URL(page.url()).href).toBe(host.url);
    expect(outcomes).toEqual({
      ...{ fetch: 'TypeError', eval: 'EvalError', markup: 'TypeError', script: 'TypeError' },
      ...{ storage: 'SecurityError', cookie: 'SecurityError', parent: 'SecurityError', top: 'SecurityError' },
      broken: false,
    });
  });

  it('can call the tool that reads a hold, and no other: none that sends, withdraws or decides', async () => {
    const { frame, page, approvalId } = await showHeld();
    const { body } = await server.call('GET', `/keys/approvals/${approvalId}`);
    const { tools } = await client.listTools();
    const names = [
      ...tools.map(({ name }) => name),
      ...['decide_approval', 'approvals.decide', 'approve', 'POST /keys/approvals/:id', 'create_key'],
    ];
    const given = { id: approvalId, decision: 'approve', emailId: body.emailId };
    const replies = await frame.evaluate(
      async ([list, fields]) => {
        const call = (name: string, id: string) =>
          new Promise<string>((resolve) => {
            addEventListener('message', ({ data }) => {
              if (data.id === id) resolve(data.error === undefined ? 'called' : 'refused');
            });
            const params = { name, arguments: fields };
            window.parent.postMessage({ jsonrpc: '2.0', id, method: 'tools/call', params }, '*');
          });
        const entries: [string, string][] = [];
        for (const [index, name] of list.entries()) entries.push([name, await call(name, `attempt-${index}`)]);
        return Object.fromEntries(entries);
      },
      [names, given] as const,
    );
    expect(replies).toEqual(
      Object.fromEntries(names.map((name) => [name, name === 'read_held_send' ? 'called' : 'refused'])),
    );
    expect((await recordOf(page)).refused).toEqual(names.filter((name) => name !== 'read_held_send'));
    const after = await server.call('GET', `/keys/approvals/${approvalId}`);
    expect(after.body.status).toBe('pending');
  });

  it('has no key in its page, its data and its messages', async () => {
    const { frame, page } = await showHeld();
    const content = await frame.content();
    expect(content).not.toContain(key);
    expect(content).not.toMatch(/pr_(?:live|test)_|Bearer /);
    expect(JSON.stringify(await recordOf(page))).not.toContain(key);
  });

  it('believes its client only: a message from another window changes nothing', async () => {
    const { frame } = await showHeld({ subject: 'The real one' });
    await frame.evaluate(() => {
      const params = { content: [], structuredContent: { status: 'queued' } };
      window.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params }, '*');
    });
    await frame.page().waitForTimeout(200);
    expect(await textOf(frame)).toContain('The real one');
  });

  it('opens no address but the page of the hold, also if a result names another', async () => {
    const { approvalId, ...result } = await send({ subject: 'Elsewhere' });
    const pages = { [approvalId]: `https://evil.example/?next=/approvals/open/${approvalId}` };
    const forged = { ...result, _meta: { 'io.github.postrider/approvalPages': pages } };
    const { frame } = await show(forged, { capabilities: {} });
    await frame.getByText('This client does not let this view read the message.').waitFor();
    expect(await frame.getByRole('button').count()).toBe(0);
  });
});
