import { stripVTControlCharacters } from 'node:util';
import type { Domain, DomainRecord } from '@postrider/sdk';
import { describe, expect, it } from 'vitest';
import { problem, type Reply, startScriptedServer } from '../sdk/scripted-server.ts';
import { KEY, runAgainst, runInProcess } from './run-in-process.ts';

const ID = '01980d3c-0000-7000-8000-000000000001';
const PLAIN = { NO_COLOR: '1' };
const DKIM_VALUE = `v=DKIM1; k=rsa; p=${'MIIB'.repeat(98)}`;

function record(changes: Partial<DomainRecord> = {}): DomainRecord {
  return {
    purpose: 'dkim',
    type: 'TXT',
    name: 'pr1._domainkey',
    host: 'pr1._domainkey.mail.example.com',
    value: DKIM_VALUE,
    priority: null,
    ttl: 3600,
    required: true,
    status: 'pass',
    reason: null,
    found: [DKIM_VALUE],
    checkedAt: '2026-01-31T09:00:00.000Z',
    ...changes,
  };
}

const LOST_MX = record({
  purpose: 'mx',
  type: 'MX',
  name: 'bounce',
  host: 'bounce.mail.example.com',
  value: 'mx.postrider.example',
  priority: 10,
  status: 'fail',
  reason: 'Another host takes the mail.',
  found: ['10 mx.evil\u001b[31m.example'],
});

function domain(changes: Partial<Domain> = {}): Domain {
  return {
    id: ID,
    name: 'mail.example.com',
    status: 'pending',
    statusReason: null,
    dkimSelector: 'pr1',
    records: [record(), LOST_MX],
    createdAt: '2026-01-31T09:00:00.000Z',
    verifiedAt: null,
    lastCheckedAt: '2026-01-31T09:05:00.000Z',
    ...changes,
  };
}

const VERIFIED = domain({ status: 'verified', records: [record()], verifiedAt: '2026-01-31T09:05:00.000Z' });

function ok(body: unknown): Reply {
  return { status: 200, body };
}

function page(domains: readonly Domain[], nextCursor: string | null = null): Reply {
  return ok({ domains, total: domains.length, totalIsEstimate: false, nextCursor });
}

describe('domains', () => {
  it('are added by name, and the records to publish are printed in full', async () => {
    const made = { status: 201, body: domain({ records: [record({ status: 'pending', found: [] })] }) };
    const { code, stdout, stderr, received } = await runAgainst([made], ['domains', 'add', 'mail.example.com'], {
      columns: 80,
      env: PLAIN,
    });
    expect(code).toBe(0);
    expect(received[0]).toMatchObject({ method: 'POST', url: '/domains', body: '{"name":"mail.example.com"}' });
    expect(stdout).toContain(DKIM_VALUE);
    expect(stdout).toContain('pr1._domainkey.mail.example.com');
    expect(stderr).toContain('postrider domains verify mail.example.com --watch');
  });

  it('are listed with the records to publish', async () => {
    const { stdout } = await runAgainst([page([domain(), VERIFIED])], ['domains', 'list'], {
      columns: 120,
      env: PLAIN,
    });
    expect(stdout).toMatch(/^NAME +STATUS +ID +TO PUBLISH/);
    expect(stdout).toMatch(new RegExp(`mail\\.example\\.com +pending +${ID} +mx `));
  });

  it('show the reason and the value found for each wrong record', async () => {
    const { stdout } = await runAgainst([ok(domain())], ['domains', 'get', ID], { columns: 100, env: PLAIN });
    expect(stdout).toMatch(/^pass +dkim +TXT /m);
    expect(stdout).toMatch(/^fail +mx +MX +bounce\.mail\.example\.com$/m);
    expect(stdout).toMatch(/^ +reason +Another host takes the mail\.$/m);
    expect(stdout).toContain('found     10 mx.evil.example');
    expect(stdout).not.toContain(DKIM_VALUE);
    expect(stdout).not.toContain('\u001b');
  });

  it('print each long value once, also where DNS returns the same value', async () => {
    const both = record({
      status: 'fail',
      reason: 'Another key is at the selector too.',
      found: [DKIM_VALUE, 'v=DKIM1; p='],
    });
    const dmarc = record({
      purpose: 'dmarc',
      host: '_dmarc.mail.example.com',
      value: 'v=DMARC1; p=none',
      found: [DKIM_VALUE],
    });
    const records = [both, { ...dmarc, status: 'fail' as const }];
    const { stdout } = await runAgainst([ok(domain({ records }))], ['domains', 'add', 'mail.example.com'], {
      columns: 100,
      env: PLAIN,
    });
    expect(stdout.split(DKIM_VALUE)).toHaveLength(2);
    expect(stdout.match(/^ +found +v=DKIM1; k=rsa; p=MIIBMI… \(shown above\)$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^ +found +v=DKIM1; p=$/m);
  });

  it.each([60, 72, 80, 120])('keep the table of records within %i columns', async (columns) => {
    const { stdout } = await runAgainst([ok(domain())], ['domains', 'get', ID], { columns, env: PLAIN });
    const table = stdout.split('\n').filter((line) => /^(?:STATUS|pass|fail) /.test(line));
    expect(table).toHaveLength(3);
    for (const line of table) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it('with rotated keys show the new key as one to publish, and say so at the end', async () => {
    const next = record({
      name: 'pr2._domainkey',
      host: 'pr2._domainkey.mail.example.com',
      required: false,
      status: 'pending',
      reason: 'Mail is signed with this key once its record is found; until then with the other key.',
      found: [],
      checkedAt: null,
    });
    const dmarc = record({ purpose: 'dmarc', host: '_dmarc.mail.example.com', required: false, status: 'fail' });
    const changed = domain({ status: 'verified', records: [record(), next, dmarc] });
    const { stdout, stderr } = await runAgainst([ok(changed)], ['domains', 'rotate', ID], { columns: 100, env: PLAIN });
    expect(stdout).toMatch(/^pending +dkim \(publish\) +TXT +pr2\._domainkey/m);
    expect(stdout).toMatch(/^pass +dkim +TXT +pr1\._domainkey/m);
    expect(stdout).toMatch(/^fail +dmarc \(recommended\) /m);
    expect(stdout).toContain('DKIM: TXT record, publish it for this key');
    expect(stderr).toMatch(
      /^Publish the DKIM record of the new key[^.]*\n {2}postrider domains verify mail\.example\.com$/m,
    );
    expect(stderr).toMatch(
      /^Until the new record is found, messages from mail\.example\.com are signed with the old key\.$/m,
    );
  });

  it('that are removed show no key that will sign and nothing to publish', async () => {
    const reason = 'Mail is signed with this key once its record is found; until then with the other key.';
    const next = record({ required: false, status: 'pending', reason, found: [] });
    const replies = [ok(domain({ status: 'removed', records: [record(), next, LOST_MX] }))];
    const { stdout, stderr } = await runAgainst(replies, ['domains', 'delete', ID], { columns: 200, env: PLAIN });
    expect(stdout).not.toMatch(/sign|publish|recommended|v=DKIM1/i);
    expect(stdout).toContain('pr1._domainkey.mail.example.com');
    expect(stderr).toBe('To restore it: postrider domains restore mail.example.com\n');
    const list = await runAgainst([page([domain({ status: 'removed' })])], ['domains', 'list'], {
      columns: 120,
      env: PLAIN,
    });
    expect(list.stdout).not.toMatch(/ mx /);
  });

  it('can be named instead of the id, in Unicode too', async () => {
    const idn = domain({ name: 'xn--bcher-kva.example' });
    const replies = [page([VERIFIED], 'next'), page([idn]), ok(idn)];
    const { code, received } = await runAgainst(replies, ['domains', 'delete', 'Bücher.example.']);
    expect(code).toBe(0);
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /domains?limit=100',
      'GET /domains?limit=100&cursor=next',
      `DELETE /domains/${ID}`,
    ]);
  });

  it('are searched among the removed ones first when one is restored', async () => {
    const { received } = await runAgainst(
      [page([domain({ status: 'removed' })]), ok(domain())],
      ['domains', 'restore', 'mail.example.com'],
    );
    expect(received.map(({ url }) => url)).toEqual(['/domains/history?limit=100', `/domains/${ID}/restore`]);
  });

  it('exit with 5 when no domain has the name', async () => {
    const { code, stderr } = await runAgainst([page([]), page([])], ['domains', 'get', 'nope.example']);
    expect(code).toBe(5);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'not_found', detail: expect.stringContaining('nope.example') });
  });
});

describe('domains records', () => {
  it('shows every value in full', async () => {
    const { stdout } = await runAgainst([ok({ records: [record(), LOST_MX] })], ['domains', 'records', ID], {
      columns: 80,
      env: PLAIN,
    });
    expect(stdout).toContain(`value  ${DKIM_VALUE}\n`);
    expect(stdout).toMatch(/priority +10\n/);
  });

  it('prints the zone file unchanged with --zone, outside a terminal too', async () => {
    const zone = '; mail.example.com\npr1._domainkey.mail.example.com. 3600 IN TXT "v=DKIM1"\n';
    const reply = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: zone };
    for (const terminal of [{}, { columns: 80 }]) {
      const { code, stdout, received } = await runAgainst([reply], ['domains', 'records', ID, '--zone'], terminal);
      expect({ code, stdout }).toEqual({ code: 0, stdout: zone });
      expect(received[0]?.headers.accept).toBe('text/plain');
    }
  });
});

describe('domains verify', () => {
  it('shows the result and exits with 0, verified or not', async () => {
    const { code, stdout } = await runAgainst([ok(domain())], ['domains', 'verify', ID]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(domain());
  });

  it('exits with 6 when another account has the name, and says what to do', async () => {
    const claimed = problem(409, 'domain_claimed', { fix: 'Publish TXT _claim.mail.example.com "abc".' });
    const { code, stderr } = await runAgainst([claimed], ['domains', 'verify', ID, '--watch', '--no-json']);
    expect(code).toBe(6);
    expect(stderr).toContain('Fix: Publish TXT _claim.mail.example.com');
  });
});

describe('domains verify --watch', () => {
  it('checks again until the domain is verified, and prints only the last response', async () => {
    const replies = [ok(domain()), ok(VERIFIED)];
    const { code, stdout, stderr, received } = await runAgainst(replies, ['domains', 'verify', ID, '--watch']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(VERIFIED);
    expect(stderr).toBe('');
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(2).fill(`POST /domains/${ID}/verify`));
  });

  it('prints changes as lines when stderr is not a terminal', async () => {
    const argv = ['domains', 'verify', ID, '--watch', '--no-json'];
    const { code, stdout, stderr } = await runAgainst([ok(domain()), ok(VERIFIED)], argv);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^status +verified$/m);
    expect(stderr).toContain('MX bounce.mail.example.com fail: Another host takes the mail.\n');
    expect(stderr.match(/MX bounce/g)).toHaveLength(1);
    expect(stderr).not.toContain('\u001b');
  });

  it('redraws a table in a terminal, and removes it at the end', async () => {
    const { stdout, stderr } = await runAgainst([ok(domain()), ok(VERIFIED)], ['domains', 'verify', ID, '--watch'], {
      columns: 60,
      env: PLAIN,
    });
    expect(screenOf(stderr)).toBe('Sends from mail.example.com are accepted.\n');
    expect(stderr).toContain('mail.example.com: pending\n');
    expect(stderr).toContain('Next check in 2 s');
    expect(stdout).toContain('verified');
    for (const line of stripVTControlCharacters(stderr).split('\n')) expect(line.length).toBeLessThan(60);
  });

  it('continues after a check that failed temporarily', async () => {
    const replies = [problem(503, 'unavailable', { retryable: true }), ok(VERIFIED)];
    const { code } = await runAgainst(replies, ['domains', 'verify', ID, '--watch']);
    expect(code).toBe(0);
  });

  it('exits with 11 when the time is up, and names what is missing', { tags: ['contract-cli.exit-11'] }, async () => {
    const replies = Array(3).fill(ok(domain()));
    const { code, stdout, stderr } = await runAgainst(replies, ['domains', 'verify', ID, '--for', '1']);
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toEqual(domain());
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'wait_timed_out',
      detail: expect.stringContaining('MX bounce.mail.example.com'),
      fix: expect.stringContaining('postrider domains get mail.example.com'),
      retryable: true,
    });
  });

  it('exits with 130 when the user interrupts, and removes the table', async () => {
    const interruption = new AbortController();
    await using server = await startScriptedServer([ok(domain())]);
    const env = { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: server.baseUrl };
    const asked = server.nextRequest();
    const running = runInProcess(['domains', 'verify', ID, '--watch'], {
      env,
      columns: 80,
      signal: interruption.signal,
    });
    await asked;
    interruption.abort();
    const { code, stderr } = await running;
    expect(code).toBe(130);
    expect(screenOf(stderr)).toBe('');
  });

  it.each([['0'], ['soon'], ['86401']])('rejects --for %s', async (seconds) => {
    expect((await runAgainst([], ['domains', 'verify', ID, '--for', seconds])).code).toBe(2);
  });
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const PARTS = /\r\u001b\[(\d+)A\u001b\[J|([^\r\u001b]+)/g;

/** What is left on a terminal of a text with our own sequences: up by lines, and away with the rest. */
function screenOf(written: string): string {
  let lines: string[] = [''];
  for (const [, up, text = ''] of written.matchAll(PARTS)) {
    if (up === undefined) {
      const [first = '', ...more] = text.split('\n');
      lines = [...lines.slice(0, -1), `${lines.at(-1)}${first}`, ...more];
    } else {
      lines = [...lines.slice(0, lines.length - 1 - Number(up)), ''];
    }
  }
  return lines.join('\n');
}
