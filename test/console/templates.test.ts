import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { overflowOf, postForm, type VisitOptions, visit } from './console-visits.ts';

const PATH = '/console/templates';
const HTML = '<h1>Hello {{ name }}</h1>\n<p>Your plan is free.</p>';

let server: TestApp;
let browser: Browser;
let owner: TestSession;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
  owner = await signInAs(server, 'owner@sandbox.test');
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

async function newTemplate(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const body = { name: 'Welcome', subject: 'Hello', html: HTML, ...fields };
  const { status, body: created } = await owner.call('POST', '/templates', { body });
  if (status !== 201) throw new Error(JSON.stringify(created));
  return created.id;
}

const open = (path: string, options?: VisitOptions): Promise<Page> =>
  visit({ server, browser, session: owner }, `${PATH}${path}`, options);

const read = async (id: string) => (await owner.call('GET', `/templates/${id}`)).body;

const get = (path: string, session = owner) => session.call('GET', `${PATH}${path}`);

const post = (path: string, fields: Readonly<Record<string, string>> = {}, session = owner) =>
  postForm(session, `${PATH}${path}`, fields);

/** The fields of the editor as it was opened. */
const edited = (id: string, base: string, changes: Readonly<Record<string, string>> = {}, session = owner) => {
  const names = { name: 'Welcome', nameBefore: 'Welcome', slug: 'same', slugBefore: 'same' };
  return post(
    `/${id}/edit`,
    { ...names, base, subject: 'Hello', html: HTML, text: '', variables: '{}', ...changes },
    session,
  );
};

describe('the editor', () => {
  it('shows what is typed, then the differences between the versions, and rolls back', {
    tags: ['console.templates.preview', 'console.templates.variables', 'console.templates.versions'],
    timeout: 60_000,
  }, async () => {
    const id = await newTemplate({ slug: 'story' });
    const page = await open(`/${id}`);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('HTML').fill('<h1>Good day {{ name }}</h1>\n<p>Your plan is {{ plan }}.</p>');
    await page.frameLocator('iframe[name="preview-frame"]').getByText('Good day Name').waitFor();
    await page.locator('#preview .variables li', { hasText: 'plan' }).getByText('No value').waitFor();
    await page.getByLabel('Sample values').fill('{"name": "Ada", "plan": "pro"}');
    await page.frameLocator('iframe[name="preview-frame"]').getByText('Your plan is pro.').waitFor();
    await page.getByText('No value').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('#preview pre').textContent()).toContain('Your plan is pro.');
    await page.getByLabel('Note').fill('Says the plan');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Version 2 is the current one.').waitFor();
    await page.getByRole('button', { name: 'Show the differences' }).click();
    expect(await page.locator('.diff .del').allTextContents()).toEqual([
      expect.stringContaining('<h1>Hello {{ name }}</h1>'),
      expect.stringContaining('Your plan is free.'),
    ]);
    expect(await page.locator('.diff ins').first().textContent()).toBe('Good');
    await page.getByRole('link', { name: 'Version 1', exact: true }).click();
    await page.locator('summary', { hasText: 'Roll back to this version' }).click();
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByText('It equals version 1.').waitFor();
    expect(await read(id)).toMatchObject({ currentVersion: 3, html: HTML });
    await page.context().close();
  });

  it('says at the field what is wrong while the user types, and leaves the text alone', {
    tags: ['console.templates.faults'],
    timeout: 60_000,
  }, async () => {
    const page = await open(`/${await newTemplate({ slug: 'typed' })}/edit`);
    await page.getByLabel('HTML').fill('<p>\n{% if x %}never closed');
    await page.locator('#html-fault', { hasText: 'line 2' }).waitFor();
    expect(await page.getByLabel('HTML').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('HTML').fill('<p>closed</p>');
    await page.locator('#html-fault:empty').waitFor({ state: 'attached' });
    expect(await page.getByLabel('HTML').getAttribute('aria-invalid')).toBeNull();
    await page.getByLabel('Sample values').fill('{"name": ');
    await page.locator('#variables-fault', { hasText: 'is not JSON' }).waitFor();
    await page.context().close();
  });

  it('adds nothing to the history of the tab, and saves after a preview in the frame', {
    tags: ['console.templates.preview'],
    timeout: 60_000,
  }, async () => {
    const id = await newTemplate({ slug: 'history' });
    const page = await open(`/${id}/edit`);
    const before = await page.evaluate(() => history.length);
    await page.getByLabel('HTML').fill('<p>One more</p>');
    await page.frameLocator('iframe[name="preview-frame"]').getByText('One more').waitFor();
    expect(await page.evaluate(() => history.length)).toBe(before);
    await page.getByRole('button', { name: 'Show the HTML' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Version 2 is the current one.').waitFor();
    await page.context().close();
  });

  it('previews without scripts, in the page and in the frame, and keeps what was typed', {
    tags: ['console.templates.preview'],
    timeout: 60_000,
  }, async () => {
    const page = await open('/create', { hasScript: false });
    await page.getByLabel('Name').fill('Typed <b>name</b>');
    await page.getByLabel('HTML').fill('<p>Dear {{ first }}</p>');
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed <b>name</b>');
    expect(await page.locator('#preview .variables').textContent()).toContain('first');
    await page.getByLabel('Sample values').fill('{"first": "Ada"}');
    await page.getByRole('button', { name: 'Show the HTML' }).click();
    await page.frameLocator('iframe[name="preview-frame"]').getByText('Dear Ada').waitFor();
    await page.getByRole('button', { name: 'Create the template' }).click();
    expect(await page.locator('h1').textContent()).toBe('Typed <b>name</b>');
    await page.context().close();
  });

  it('shows a refused form again with the line of the fault', { tags: ['console.templates.faults'] }, async () => {
    const id = await newTemplate({ slug: 'refused' });
    const broken = '<p>kept</p>\n\n{{ name | nothing }}';
    const { status, body } = await edited(id, '1', { slug: 'refused', slugBefore: 'refused', html: broken });
    expect(status).toBe(422);
    expect(body).toContain('&lt;p&gt;kept&lt;/p&gt;');
    expect(body).toMatch(/id="html-fault"[^>]*>line 3, column 1/);
    const created = await post('/create', { name: 'New', slug: 'refused', html: '<p>kept too</p>', text: '' });
    expect(created.status).toBe(409);
    expect(created.body).toContain('&lt;p&gt;kept too&lt;/p&gt;');
    expect((await read(id)).currentVersion).toBe(1);
  });

  it('stores no version if only line ends differ, and none of the previews is in the request log', {
    tags: ['console.templates.preview'],
    timeout: 60_000,
  }, async () => {
    const id = await newTemplate({ slug: 'line-ends' });
    const saved = await edited(id, '1', { html: HTML.replaceAll('\n', '\r\n') });
    expect([saved.status, saved.headers.get('location')]).toEqual([303, `${PATH}/${id}`]);
    expect((await read(id)).currentVersion).toBe(1);
    await post('/frame', { html: '<p>x</p>' });
    await post(`/${id}/preview`, { html: '<p>x</p>' });
    const { requests } = (await owner.call('GET', '/requests')).body;
    const paths = requests.map(({ path }: { path: string }) => path);
    expect(paths).toContain(`${PATH}/${id}/edit`);
    expect(paths.filter((path: string) => /frame|preview/.test(path))).toEqual([]);
  });
});

describe('two editors of one template', () => {
  it('shows both texts instead of overwriting, and saves when asked again', {
    tags: ['console.templates.conflict'],
  }, async () => {
    const id = await newTemplate({ slug: 'both' });
    await owner.call('PATCH', `/templates/${id}`, { body: { html: '<p>theirs</p>' } });
    const conflict = await edited(id, '1', { html: '<p>mine</p>' });
    expect(conflict.status).toBe(409);
    expect(conflict.body).toContain('published version 2 while you were editing');
    expect(conflict.body).toContain('What version 2 changed');
    expect(conflict.body).toMatch(/<textarea id="html"[^>]*>\n&lt;p&gt;mine&lt;\/p&gt;/);
    expect(conflict.body).toContain('name="base" value="2"');
    expect((await read(id)).html).toBe('<p>theirs</p>');
    const saved = await edited(id, '2', { html: '<p>mine</p>' });
    expect(saved.status).toBe(303);
    expect(await read(id)).toMatchObject({ currentVersion: 3, html: '<p>mine</p>' });
  });

  it('finds a version that is published while the form is being stored', {
    tags: ['console.templates.conflict'],
  }, async () => {
    const id = await newTemplate({ slug: 'race' });
    const { sql } = server.database;
    const waits = async () =>
      (await sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`).length;
    const [saved, rolledBack] = await sql
      .begin(async (other) => {
        await other`SELECT FROM templates WHERE id = ${id} FOR UPDATE`;
        const forms = [edited(id, '1', { html: '<p>mine</p>' }), post(`/${id}/rollback`, { version: '1', base: '1' })];
        await expect.poll(waits, { interval: 5 }).toBe(2);
        await other`INSERT INTO template_versions (account_id, template_id, version, subject, html, variables, created_by, created_at, status, authors)
        SELECT account_id, template_id, 2, subject, '<p>theirs</p>', variables, created_by, created_at, status, authors
        FROM template_versions WHERE template_id = ${id}`;
        await other`UPDATE templates SET current_version = 2, last_version = 2 WHERE id = ${id}`;
        return [forms[0], forms[1]];
      })
      .then((forms) => Promise.all(forms));
    expect(saved?.status).toBe(409);
    expect(saved?.body).toContain('published version 2 while you were editing');
    expect(saved?.body).toMatch(/<textarea id="html"[^>]*>\n&lt;p&gt;mine&lt;\/p&gt;/);
    expect(rolledBack?.status).toBe(409);
    expect(rolledBack?.body).toContain('Version 2 was published in the meantime.');
    expect(await read(id)).toMatchObject({ currentVersion: 2, html: '<p>theirs</p>' });
  });

  it('keeps a name that another user changed', { tags: ['console.templates.conflict'] }, async () => {
    const id = await newTemplate({ slug: 'renamed' });
    await owner.call('PATCH', `/templates/${id}`, { body: { name: 'Renamed' } });
    await edited(id, '1', { html: '<p>mine</p>' });
    expect(await read(id)).toMatchObject({ currentVersion: 2, name: 'Renamed', slug: 'renamed' });
  });

  it('restores what was typed with the version it belongs to', {
    tags: ['console.templates.conflict'],
    timeout: 60_000,
  }, async () => {
    const id = await newTemplate({ slug: 'restored' });
    const page = await open(`/${id}/edit`);
    await page.getByLabel('HTML').fill('<p>mine</p>');
    await owner.call('PATCH', `/templates/${id}`, { body: { html: '<p>theirs</p>' } });
    await page.reload();
    await expect.poll(() => page.getByLabel('HTML').inputValue()).toBe('<p>mine</p>');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('published version 2 while you were editing').waitFor();
    expect(await page.getByLabel('HTML').inputValue()).toBe('<p>mine</p>');
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByText('Version 3 is the current one.').waitFor();
    await page.context().close();
  });

  it('does not roll back over a version that the user has not seen', {
    tags: ['console.templates.conflict', 'console.templates.versions'],
  }, async () => {
    const id = await newTemplate({ slug: 'rolled' });
    await owner.call('PATCH', `/templates/${id}`, { body: { html: '<p>2</p>' } });
    await owner.call('PATCH', `/templates/${id}`, { body: { html: '<p>3</p>' } });
    const late = await post(`/${id}/rollback`, { version: '1', base: '2' });
    expect(late.status).toBe(409);
    expect(late.body).toContain('Version 3 was published in the meantime.');
    expect((await read(id)).currentVersion).toBe(3);
  });
});

describe('the page of a template', () => {
  it('sends a test to the user, and keeps refused sample values', { tags: ['console.templates.test'] }, async () => {
    const id = await newTemplate({ slug: 'tested' });
    const sent = await post(`/${id}/test`, { variables: '{"name": "Ada"}' });
    expect(sent.status).toBe(303);
    const { messages } = (await owner.call('GET', '/emails?recipient=owner@sandbox.test')).body;
    expect(messages[0]).toMatchObject({ subject: 'Hello' });
    const missing = await post(`/${id}/test`, { variables: '{"nam": "<typo>"}' });
    expect(missing.status).toBe(422);
    expect(missing.body).toContain('&lt;typo&gt;');
    const broken = await post(`/${id}/test`, { variables: '{"name"' });
    expect(broken.status).toBe(422);
    expect(broken.body).toContain('is not JSON');
  });

  it('deletes after a confirmation, and lists what is left', { tags: ['console.templates.versions'] }, async () => {
    const id = await newTemplate({ slug: 'gone', name: 'Soon gone' });
    expect((await get('')).body).toContain('Soon gone');
    expect((await get(`/${id}`)).body).toContain('Delete the template');
    expect((await post(`/${id}/delete`)).headers.get('location')).toBe(PATH);
    expect((await get(`/${id}`)).status).toBe(404);
  });

  it.each([
    ['viewer', false],
    ['approver', false],
    ['developer', true],
    ['admin', true],
  ])('offers a %s what the role may do', { tags: ['console.templates.roles'] }, async (role, mayWrite) => {
    const id = await newTemplate({ slug: `for-${role}` });
    const session = await joinAs(server, owner, role);
    const { status, body } = await get(`/${id}`, session);
    expect(status).toBe(200);
    for (const offered of ['/edit"', 'Delete the template', 'Send the test']) {
      expect(body.includes(offered), offered).toBe(mayWrite);
    }
    expect((await get(`/${id}/frame`, session)).body).toContain('Hello Name');
    expect((await get('/create', session)).status).toBe(mayWrite ? 200 : 403);
    const changed = await edited(id, '1', { html: '<p>x</p>' }, session);
    expect(changed.status).toBe(mayWrite ? 303 : 403);
    expect((await post(`/${id}/test`, { variables: '{"name":"x"}' }, session)).status).toBe(mayWrite ? 303 : 403);
    expect((await post(`/${id}/delete`, {}, session)).status).toBe(mayWrite ? 303 : 403);
  });

  it('neither runs a template nor lets it leave its frame', {
    tags: ['console.templates.hostile'],
    timeout: 60_000,
  }, async () => {
    const html = `<script>parent.document.title = "taken"</script><img src="https://tracker.example/x.gif"><form action="/console/team"><button>Go</button></form><p>${'x'.repeat(900)}</p>`;
    const name = `<img src=x onerror=alert(1)> ${'n'.repeat(60)}`;
    const note = `\u202egnp.<b>exe ${'w'.repeat(400)}`;
    const id = await newTemplate({ slug: 'hostile', name, html, subject: 's'.repeat(900), note });
    await owner.call('PATCH', `/templates/${id}`, { body: { html: `${html}<p>2</p>`, note } });
    for (const path of [`/${id}/frame`, `/${id}/frame?version=1`]) {
      const frame = await get(path);
      expect(frame.headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox$/);
      expect(frame.body).not.toMatch(/<script|<form [^>]*action|tracker\.example/);
    }
    const unsaved = await post('/frame', { html, variables: '{}' });
    expect(unsaved.headers.get('content-security-policy')).toMatch(/; sandbox$/);
    expect(unsaved.body).not.toMatch(/<script|<form [^>]*action|tracker\.example/);
    for (const path of ['', `/${id}`, `/${id}/edit`, `/${id}/versions/1`, `/${id}/compare?from=1&to=2`]) {
      const page = await open(path, { width: 360 });
      expect(await overflowOf(page), path).toBe(0);
      expect(await page.title(), path).not.toBe('taken');
      await page.context().close();
    }
    expect((await get(`/${id}`)).body).not.toContain('<img src=x');
  });

  it('refuses forms of other sites', { tags: ['console.templates.hostile'] }, async () => {
    const foreign = await owner.call('POST', `${PATH}/frame`, {
      rawBody: 'html=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
  });
});
