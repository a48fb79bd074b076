import { type CallableId, findOperation, ROLES, type Role, scopesOfRole } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageRoute } from '../../packages/server/src/console/web/console-page.ts';
import { CONSOLE_PAGES } from '../../packages/server/src/console/web/pages.ts';
import { addressesOf } from '../harness/console-addresses.ts';
import { type ConsoleWorld, joinEveryRole, startConsoleWorld } from '../harness/console-world.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import type { TestResponse } from '../harness/test-app.ts';

const GETS = CONSOLE_PAGES.filter(({ method }) => method === 'GET');
const POSTS = CONSOLE_PAGES.filter(({ method }) => method === 'POST');
/** Places of the navigation that have no pages yet. */
const UNBUILT = ['/console/templates', '/console/webhooks'].filter((place) => !GETS.some(({ path }) => path === place));

let world: ConsoleWorld;
let members: Readonly<Record<Role, TestSession>>;

beforeAll(async () => {
  world = await startConsoleWorld();
  members = await joinEveryRole(world);
});
afterAll(() => world?.close());

/** Whether the catalog gives the operation to the role. */
function isAllowed(role: Role, needs: CallableId | null): boolean {
  if (needs === null) return true;
  const { access } = findOperation(needs);
  if (access.kind !== 'key') return true;
  if ('users' in access && (access.users === 'none' || (access.users === 'owners' && role !== 'owner'))) return false;
  return access.scope === null || scopesOfRole(role).includes(access.scope);
}

/** The content of a message is a right of its own, on pages that all who read the log can open. */
const BODIES = /^\/console\/messages\/:id\/(?:files\/:index|html|html\.txt|text\.txt)$/;
/** Keys see their own holds by the same operation, so every role may call it. All users see drafts. */
const HOLD = /^\/console\/approvals\/:/;
const mayReadContent = (role: Role) => scopesOfRole(role).includes('emails:content');

const firstOf = (path: string) => addressesOf(path, world.ids)[0] ?? `no address for ${path}`;
const withMore = (address: string, query: string) => `${address}${address.includes('?') ? '&' : '?'}${query}`;
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

async function open({ call }: Pick<TestSession, 'call'>, address: string): Promise<TestResponse> {
  return await call('GET', address, { headers: HTML });
}

async function post(
  { call }: Pick<TestSession, 'call'>,
  address: string,
  form: string | Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const rawBody = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return await call('POST', address, { rawBody, headers: { ...HTML, ...type, ...headers } });
}

/** One link of each form is followed. */
const shapeOf = (href: string) => href.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id').replaceAll(/=[^&]*/g, '');

/** Of what need not be read to the end, such as an export. */
async function statusOf({ cookie }: Pick<TestSession, 'cookie'>, address: string): Promise<number> {
  const response = await fetch(`${world.server.baseUrl}${address}`, {
    headers: { ...HTML, cookie },
    redirect: 'manual',
  });
  await response.body?.cancel();
  return response.status;
}

/** What is between the navigation and the end of a page. */
const mainOf = (body: string) => /<main.*<\/main>/s.exec(body)?.[0] ?? '';

/** What deliveries and mail to approvers change in the background. */
const BACKGROUND = ['failures', 'failing_since', 'told_at', 'last_checked_at', 'next_check_at'];

/** Everything that forms change, as text. Of the messages, only one can still be changed. */
async function readState(): Promise<readonly string[]> {
  const { sql } = world.server.database;
  const tables = [
    'accounts',
    'api_keys',
    'approvals',
    'members',
    'sending_domains',
    'suppressions',
    'support_messages',
  ];
  const others = ['support_tickets', 'templates', 'template_versions', 'webhook_endpoints'];
  const rows = await Promise.all(
    [...tables, ...others].map(async (name) => {
      const [row] = await sql`
        SELECT coalesce(md5(string_agg(one, '' ORDER BY one)), '') AS sum
        FROM (SELECT (to_jsonb(t) - ${BACKGROUND}::text[])::text AS one FROM ${sql(name)} t) AS rows`;
      return `${name} ${row?.['sum']}`;
    }),
  );
  const [scheduled] = await sql`
    SELECT status, scheduled_at, (SELECT count(*) FROM messages WHERE account_id = ${world.server.accountId}) AS count
    FROM messages WHERE id = ${world.ids.scheduled}`;
  return [...rows, JSON.stringify(scheduled)];
}

describe.each(ROLES)('a member with the role %s', (role) => {
  const isOpen = ({ needs }: Pick<PageRoute, 'needs'>) => isAllowed(role, needs);

  it('sees the pages that the role includes', { tags: ['console.roles.pages'] }, async () => {
    const member = members[role];
    for (const route of GETS.filter(isOpen)) {
      const { status } = await open(member, firstOf(route.path));
      const isHidden = BODIES.test(route.path) && !mayReadContent(role);
      const isRefused = HOLD.test(route.path) && !scopesOfRole(role).includes('approvals:read');
      expect([route.path, status]).toEqual([route.path, isRefused ? 403 : isHidden ? 404 : 200]);
    }
  });

  it('cannot open other pages, and sees nothing of them', {
    tags: ['console.roles.pages'],
  }, async () => {
    const member = members[role];
    for (const { path } of GETS.filter((route) => !isOpen(route))) {
      const { status, headers, body } = await open(member, firstOf(path));
      expect([path, status, headers.get('content-type')]).toEqual([path, 403, 'text/html; charset=utf-8']);
      expect(body).toContain(`Your role, ${role}, does not have access to this page.`);
      expect(mainOf(body)).not.toMatch(/w{20}|sandbox\.test|acme\.example|<form|<table/);
    }
  });

  it('is linked only to pages that open, and has only forms that the role may send', {
    tags: ['console.roles.pages'],
  }, async () => {
    const member = members[role];
    const links = new Map<string, string>();
    const actions = new Map<string, string>();
    for (const route of GETS.filter(isOpen)) {
      const { body, headers } = await open(member, firstOf(route.path));
      // The HTML of messages has links and forms of its own.
      if (!String(body).includes('<div class="console"')) continue;
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      for (const [, href = ''] of body.matchAll(/<a [^>]*href="(\/[^"]*)"/g)) links.set(shapeOf(href), unescaped(href));
      for (const [form] of body.matchAll(/<form [^>]*>/g)) {
        const action = /action="([^"]*)"/.exec(form)?.[1] ?? '';
        if (form.includes('method="post"')) actions.set(unescaped(action), route.path);
      }
    }
    const closed: string[] = [];
    for (const [shape, href] of links) {
      if (UNBUILT.some((place) => href === place || href.startsWith(`${place}/`))) continue;
      const status = await statusOf(member, href.replace(/#.*$/, ''));
      if (status !== 200 && status !== 303) closed.push(`${shape} as in ${href}: ${status}`);
    }
    for (const [action, from] of actions) {
      const route = action.startsWith('/console') ? routeOf(action) : null;
      if (action.startsWith('/console') && (route === null || !isOpen(route)))
        closed.push(`${from} has a form for ${action}`);
    }
    expect(closed).toEqual([]);
  });

  it('cannot send forms that the role does not include', { tags: ['console.roles.pages'] }, async () => {
    const before = await readState();
    for (const { path } of POSTS.filter((route) => !isOpen(route))) {
      const { status, body } = await post(members[role], firstOf(path), FILLED);
      expect([path, status]).toEqual([path, 403]);
      expect(body).toContain(`Your role, ${role}, does not have access to this page.`);
    }
    expect(await readState()).toEqual(before);
  });
});

/** Not found, or refused for its fields before anything is looked up. */
const isNothing = (status: number) => status === 404 || status === 422;

/** Values that forms ask for. */
const FILLED = {
  ...{
    name: 'Changed',
    email: 'changed@sandbox.test',
    emails: 'changed@sandbox.test',
    role: 'owner',
    decision: 'approve',
  },
  ...{
    subject: 'Changed',
    body: 'Changed',
    html: 'Changed',
    text: 'Changed',
    access: 'full',
    confirm: 'Acme',
    note: 'x',
  },
};

/** The route of a form's address: literal segments come before parameters. */
function routeOf(action: string): PageRoute | null {
  const path = action.replace(/[?#].*$/, '');
  const fits = POSTS.filter((route) => new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path));
  return fits.find((route) => route.path === path) ?? fits[0] ?? null;
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}

describe('the owner of another account', () => {
  it('finds nothing by the ids of this one', { tags: ['console.roles.accounts'] }, async () => {
    for (const { path } of GETS.filter(({ path }) => path.includes(':'))) {
      const { status, body } = await open(world.newcomer, firstOf(path));
      expect([path, status]).toEqual([path, 404]);
      expect(body).not.toMatch(/w{20}|@sandbox\.test/);
    }
  });

  it('changes nothing by the ids of this one', { tags: ['console.roles.accounts'] }, async () => {
    const before = await readState();
    for (const { path } of POSTS.filter(({ path }) => path.includes(':'))) {
      const { status } = await post(world.newcomer, firstOf(path), FILLED);
      expect([path, status]).toEqual([path, expect.toSatisfy(isNothing)]);
    }
    expect(await readState()).toEqual(before);
    expect((await open(world.owner, '/console')).status).toBe(200);
  });
});

describe('without a session', () => {
  const nobody = {
    call: (method: string, path: string, given = {}) => world.server.call(method, path, { ...given, key: null }),
  };

  it('every page leads to the sign-in and back', async () => {
    for (const { path } of GETS) {
      const { status, headers } = await open(nobody, withMore(firstOf(path), 'a=b%20c'));
      expect([path, status]).toEqual([path, 303]);
      const next = encodeURIComponent(withMore(firstOf(path), 'a=b%20c'));
      expect(headers.get('location')).toBe(`/auth/sign-in?next=${next}`);
    }
  });

  it('no form is accepted, and what was typed is on the page', { tags: ['console.forms.ended-session'] }, async () => {
    const origin = { origin: world.server.baseUrl };
    const typed = { first: 'One & "two" <three>', second: 'line\nline' };
    for (const { path } of POSTS) {
      const { status, headers, body } = await post(nobody, firstOf(path), typed, origin);
      expect([path, status, headers.get('content-type')]).toEqual([path, 401, 'text/html; charset=utf-8']);
      expect(body).toContain('One &amp; &quot;two&quot; &lt;three&gt;</textarea>');
      expect(body).toContain('line\nline</textarea>');
    }
  });
});

describe('a form', () => {
  it('from a page of another site is refused', { tags: ['console.forms.origin'] }, async () => {
    const before = await readState();
    for (const { path } of POSTS) {
      for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: '' }]) {
        const { status } = await post(world.owner, firstOf(path), FILLED, headers);
        expect([path, headers.origin, status]).toEqual([path, headers.origin, 403]);
      }
    }
    expect(await readState()).toEqual(before);
  });

  it('with characters that cannot be stored is refused, in its fields and in the address', {
    tags: ['console.forms.refused'],
  }, async () => {
    const before = await readState();
    for (const { path } of POSTS) {
      const { status, body } = await post(world.owner, firstOf(path), 'name=a%00b&subject=x');
      expect([path, status]).toEqual([path, 422]);
      expect(body).toContain('The form or the address has a text that cannot be stored');
      expect([path, (await post(world.owner, withMore(firstOf(path), 'x=%00'))).status]).toEqual([path, 422]);
    }
    for (const { path } of GETS)
      for (const q of ['%00', '%ff'])
        expect((await open(world.owner, withMore(firstOf(path), `q=${q}`))).status).toBe(422);
    expect(await readState()).toEqual(before);
  });

  it('with half of a character, or a broken escape, is no fault of the server', async () => {
    for (const { path } of POSTS.filter(({ path }) => path.includes(':'))) {
      const other = firstOf(path).replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\b1$/, '01936a2e-0000-7000-8000-000000000000');
      const { status } = await post(world.owner, other, 'name=%ED%A0%80&body=%E0%A4%A&=&&&unknown=1');
      expect([path, status]).toEqual([path, expect.toSatisfy(isNothing)]);
    }
  });

  it('that is too large is refused on a page', {
    tags: ['console.forms.refused', 'console.error-pages'],
  }, async () => {
    for (const { path, formBytes = 65_536 } of POSTS) {
      const { status, headers, body } = await post(world.owner, firstOf(path), `a=${'x'.repeat(formBytes)}`);
      expect([path, status, headers.get('content-type')]).toEqual([path, 413, 'text/html; charset=utf-8']);
      expect(body).toContain('<h1>');
    }
  });

  it('of another type than a form is refused', async () => {
    for (const { path } of POSTS) {
      const headers = { ...HTML, 'content-type': 'application/json' };
      const { status } = await world.owner.call('POST', firstOf(path), { body: FILLED, headers });
      expect([path, status]).toEqual([path, 415]);
    }
  });

  it('with fields that no page has changes only what it would without them', async () => {
    const typed = { name: 'Key with unknown fields', access: 'sending', approvalMode: 'always' };
    const unknown = { isAdmin: 'true', accountId: world.ids.key, __proto__x: '1', constructor: 'x', scopes: 'full' };
    const { status, body } = await post(world.owner, '/console/keys/create', {
      ...typed,
      ...unknown,
      action: 'create',
    });
    expect([status, body]).toEqual([200, expect.stringContaining('Key with unknown fields')]);
    const { keys } = (await world.owner.call('GET', '/keys')).body;
    const [made] = keys.filter(({ name }: { readonly name: string }) => name === typed.name);
    expect([made.approvalMode, made.scopes.includes('keys:write')]).toEqual(['always', false]);
  });
});

describe('an address without a page', () => {
  it('is a page for a browser and a problem for a program', { tags: ['console.error-pages'] }, async () => {
    const page = await open(world.owner, '/console/nothing/here');
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const problem = await world.owner.call('GET', '/console/nothing/here');
    expect([problem.status, problem.body.code]).toEqual([404, 'not_found']);
  });
});

describe('a session that has ended', () => {
  it('opens nothing any more', async () => {
    const gone = await signInAs(world.server, 'admin@sandbox.test');
    expect((await open(gone, '/console')).status).toBe(200);
    await gone.call('POST', '/auth/logout');
    expect((await open(gone, '/console')).status).toBe(303);
  });
});
