import { TOOL_FINDINGS } from '@postrider/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBlocklists } from '../../packages/server/src/diagnostics/blocklists.ts';
import { type BlocklistTarget, checkBlocklist } from '../../packages/server/src/diagnostics/check-blocklist.ts';
import { readBlocklists } from '../../packages/server/src/diagnostics/tool-settings.ts';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { serveAddressList, serveDomainList } from '../harness/blocklist-zone.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { createFakeClock, type FakeClock } from '../harness/fake-clock.ts';

const FOUR = { kind: 'address', target: '192.124.249.7' } as const;
const SIX = { kind: 'address', target: '2600:1f18::1' } as const;
const DOMAIN = { kind: 'domain', target: 'mail.bad.test' } as const;

describe('the blocklist check', () => {
  let dns: TestDnsServer;
  let clock: FakeClock;
  beforeEach(async () => {
    dns = await startDnsServer();
    clock = createFakeClock();
    serveAddressList(dns, 'one.list.test');
    serveAddressList(dns, 'two.list.test');
    serveDomainList(dns, 'names.list.test');
  });
  afterEach(() => dns.close());

  const start = (lists = ['one.list.test=ip', 'two.list.test=ip', 'names.list.test=domain']) => {
    const zones = readBlocklists(lists.join(', '), (message) => expect.unreachable(message));
    const blocklists = createBlocklists({ zones, clock });
    const resolver = createDnsResolver({ servers: [dns.address], timeoutMs: 300, clock });
    return async (target: BlocklistTarget) => {
      const { records, findings } = await checkBlocklist(resolver, blocklists, target);
      return {
        records,
        findings,
        codes: findings.map(({ code }) => code),
        statuses: records.map(({ status }) => status),
      };
    };
  };
  const expectFinding = (findings: unknown, code: keyof typeof TOOL_FINDINGS.blocklist, says = '') =>
    expect(findings).toContainEqual({
      ...TOOL_FINDINGS.blocklist[code],
      code,
      message: expect.stringContaining(says),
    });

  it('finds blocklist_clean', async () => {
    const { records, findings } = await start()(FOUR);
    expectFinding(findings, 'blocklist_clean', 'one.list.test, two.list.test');
    expect(records[0]).toEqual({
      type: 'A',
      name: '7.249.124.192.one.list.test',
      value: null,
      list: 'one.list.test',
      status: 'not_listed',
      codes: [],
      reason: null,
    });
  });

  it('finds blocklist_listed, with the codes and the text of the list', async () => {
    dns.set('7.249.124.192.two.list.test', 'A', ['127.0.0.4', '127.0.0.10']);
    dns.set('7.249.124.192.two.list.test', 'TXT', 'https://two.list.test/why');
    const { records, findings, codes } = await start()(FOUR);
    expectFinding(
      findings,
      'blocklist_listed',
      'two.list.test returns 127.0.0.4, 127.0.0.10. https://two.list.test/why',
    );
    expect(codes).toEqual(['blocklist_listed']);
    expect(records[1]).toMatchObject({
      status: 'listed',
      value: '127.0.0.4',
      codes: ['127.0.0.4', '127.0.0.10'],
      reason: 'https://two.list.test/why',
    });
  });

  it('finds blocklist_none_asked', async () => {
    expectFinding((await start(['names.list.test=domain'])(FOUR)).findings, 'blocklist_none_asked');
  });

  it('finds blocklist_could_not_check for a list that is gone', async () => {
    const { findings, statuses } = await start(['gone.list.test=ip'])(FOUR);
    expectFinding(findings, 'blocklist_could_not_check', 'gone.list.test: it does not list its test entry');
    expect(statuses).toEqual(['could_not_check']);
  });

  it.each([
    ['lists everything', () => dns.set('1.0.0.127.one.list.test', 'A', '127.0.0.2')],
    ['has no test entry', () => dns.remove('2.0.0.127.one.list.test')],
    ['returns an error for its test entry', () => dns.set('2.0.0.127.one.list.test', 'A', '127.255.255.254')],
    ['returns a web server for its test entry', () => dns.set('2.0.0.127.one.list.test', 'A', '198.51.100.1')],
    ['does not respond', () => dns.fail('2.0.0.127.one.list.test', 'A', 'SERVFAIL')],
    ['rejects the query for the entry that must not exist', () => dns.fail('1.0.0.127.one.list.test', 'A', 'REFUSED')],
    ['returns an error for the target', () => dns.set('7.249.124.192.one.list.test', 'A', '127.255.255.252')],
    ['returns 127.0.0.1 for the target', () => dns.set('7.249.124.192.one.list.test', 'A', '127.0.0.1')],
    ['returns a web server for the target', () => dns.set('7.249.124.192.one.list.test', 'A', '198.51.100.1')],
    ['does not respond for the target', () => dns.fail('7.249.124.192.one.list.test', 'A', 'silence')],
  ])('counts a list that %s as neither clean nor listed', async (_, break_) => {
    break_();
    const { codes, statuses } = await start()(FOUR);
    expect(statuses).toEqual(['could_not_check', 'not_listed']);
    expect(codes).toEqual(['blocklist_could_not_check', 'blocklist_clean']);
  });

  it('queries an IPv6 address by its nibbles, and trusts a list for IPv6 only if its IPv6 test point responds', async () => {
    const label = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.1.f.1.0.0.6.2';
    dns.set(`${label}.two.list.test`, 'A', '127.0.0.2');
    dns.remove('2.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.one.list.test');
    const { records, statuses } = await start()(SIX);
    expect(statuses).toEqual(['could_not_check', 'listed']);
    expect(records[1]?.name).toBe(`${label}.two.list.test`);
    expect(records[0]?.reason).toContain('IPv6');
  });

  it('queries domain lists for a domain and for its parent domain', async () => {
    expect(await start()(DOMAIN)).toMatchObject({ statuses: ['not_listed'], codes: ['blocklist_clean'] });
    dns.set('bad.test.names.list.test', 'A', '127.0.1.2');
    const { records, statuses } = await start()(DOMAIN);
    expect(statuses).toEqual(['listed']);
    expect(records[0]?.name).toBe('bad.test.names.list.test');
  });

  it('names every list that could not be queried in one finding, without repeating what is the same', async () => {
    for (const list of ['one', 'two']) dns.set(`7.249.124.192.${list}.list.test`, 'A', '127.0.0.1');
    const { findings, statuses } = await start(['one.list.test=ip', 'two.list.test=ip', 'gone.list.test=ip'])(FOUR);
    expect(statuses).toEqual(['could_not_check', 'could_not_check', 'could_not_check']);
    expect(findings).toHaveLength(1);
    const [logged] = findings;
    expect(logged?.message).toMatch(/one\.list\.test, two\.list\.test: it returns 127\.0\.0\.1/);
    expect(logged?.message).toMatch(/; gone\.list\.test: it does not list its test entry/);
  });

  it('names all of twenty lists that fail for different reasons', async () => {
    const lists = Array.from({ length: 20 }, (_, at) => `l${at}.list.test`);
    for (const [at, list] of lists.entries()) dns.set(`2.0.0.127.${list}`, 'A', `127.255.255.${at}`);
    const { findings } = await start(lists.map((list) => `${list}=ip`))(FOUR);
    expect(findings).toHaveLength(1);
    for (const list of lists) expect(findings[0]?.message).toContain(list);
  });

  it('tests a list once an hour, and one that did not respond each time', async () => {
    const check = start(['one.list.test=ip']);
    const asked = () => dns.questions.filter(({ name }) => name === '2.0.0.127.one.list.test').length;
    dns.fail('2.0.0.127.one.list.test', 'A', 'SERVFAIL');
    expect((await check(FOUR)).statuses).toEqual(['could_not_check']);
    dns.set('2.0.0.127.one.list.test', 'A', '127.0.0.2');
    clock.advance(60_000); // The resolver remembers failures for some seconds.
    expect((await check(FOUR)).statuses).toEqual(['not_listed']);
    const before = asked();
    clock.advance(3_599_000);
    await check(FOUR);
    expect(asked()).toBe(before);
    clock.advance(2_000);
    await check(FOUR);
    expect(asked()).toBe(before + 1);
  });

  it.each(['zone', 'zone=ip', 'list.test=both', 'list.test = ip', '=ip', 'li st.test=ip'])(
    'rejects the setting %j',
    (entry) => {
      const logged: string[] = [];
      const zones = readBlocklists(`one.list.test=ip,${entry}`, (message) => logged.push(message));
      expect(logged).toEqual([`"${entry}" is neither zone=ip nor zone=domain`]);
      expect(zones).toEqual([{ zone: 'one.list.test', kind: 'ip' }]);
    },
  );
});
