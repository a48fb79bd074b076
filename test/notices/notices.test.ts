import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { takeDueNotices } from '../../packages/server/src/db/queries/notices.ts';
import { announce } from '../../packages/server/src/events/announce.ts';
import { announceExpiry } from '../../packages/server/src/keys/announce-expiry.ts';
import { mailNotices } from '../../packages/server/src/notices/mail-notices.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { announceQuota } from '../../packages/server/src/webhooks/announce-quota.ts';
import { readInstallationMail, type StoredMail } from '../harness/installation-mail.ts';
import { joinAs, signInAs } from '../harness/session.ts';
import { type DomainServer, startDomainServer } from '../operations/domains/domain-server.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const ACTING = ['admin@sandbox.test', 'developer@sandbox.test', 'owner@sandbox.test'];

describe('mail to members about events', () => {
  let domains: DomainServer;
  beforeAll(async () => {
    domains = await startDomainServer({ settings: { POSTRIDER_ROLES: 'api' } });
    const owner = await signInAs(domains.server, 'owner@sandbox.test');
    for (const role of ['admin', 'developer', 'approver', 'viewer']) await joinAs(domains.server, owner, role);
    await domains.server.newAccount();
    const invited = { email: 'invited@sandbox.test', role: 'admin' };
    expect((await owner.call('POST', '/team/invitations', { body: invited })).status).toBe(201);
  });
  afterAll(() => domains.close());

  const mailer = () => domains.server.app.services.auth.mailer;
  const clockAndIds = () => ({
    sql: domains.server.database.sql,
    clock: domains.server.clock,
    ids: createIdGenerator(),
  });

  /** Mails what is due. Returns the new mails. */
  async function mailed(tag: string): Promise<readonly StoredMail[]> {
    const before = await readInstallationMail(domains.server.database, { tag });
    await mailNotices(mailer());
    return (await readInstallationMail(domains.server.database, { tag })).slice(before.length);
  }

  const addressesOf = (mails: readonly StoredMail[]) => mails.map(({ to }) => to).toSorted();
  const buttonOf = ({ html }: StoredMail) => /class="button-label" href="http:\/\/[^/]+([^"]*)"/.exec(html)?.[1];

  // Later than the mails of the tests before, so that they delay none.
  beforeEach(() => domains.server.clock.advance(2 * DAY_MS));

  describe('about keys', () => {
    const create = async (name: string, days = 3) => {
      const expiresAt = new Date(domains.server.clock.now().getTime() + days * DAY_MS).toISOString();
      const { status, body } = await domains.server.call('POST', '/keys', {
        body: { name, scopes: ['sending'], expiresAt },
      });
      expect(status).toBe(201);
      return body.id as string;
    };

    it('names a key that expires, to the members who can change it, once', {
      tags: ['notices.kinds', 'notices.readers', 'notices.once'],
    }, async () => {
      const id = await create('Invoices');
      await announceExpiry(clockAndIds());
      const mails = await mailed('key');
      expect(addressesOf(mails)).toEqual(ACTING);
      const [mail] = mails;
      expect(mail?.subject).toBe('API key expires in 72 hours: Invoices');
      expect(mails.map(buttonOf)).toEqual(ACTING.map(() => `/console/keys/${id}`));
      await announceExpiry(clockAndIds());
      domains.server.clock.advance(2 * HOUR_MS);
      expect(await mailed('key')).toEqual([]);
    });

    it('asks only members who still have the role when the mail is written', {
      tags: ['notices.readers'],
    }, async () => {
      const { sql } = domains.server.database;
      await create('Reassigned');
      await announceExpiry(clockAndIds());
      await sql`UPDATE members SET role = 'viewer' WHERE email = 'developer@sandbox.test'`;
      expect(addressesOf(await mailed('key'))).toEqual(['admin@sandbox.test', 'owner@sandbox.test']);
      await sql`UPDATE members SET role = 'developer' WHERE email = 'developer@sandbox.test'`;
    });

    it('is part of the transaction of the event', { tags: ['notices.once'] }, async () => {
      const { sql, clock, ids } = clockAndIds();
      const key = (await domains.server.call('GET', `/keys/${await create('Undone')}`)).body;
      const event = { accountId: domains.server.accountId, type: 'key.expiring', data: key } as const;
      const failing = sql.begin(async (transaction) => {
        await announce(transaction, ids, [event], clock.now());
        throw new Error('undone');
      });
      await expect(failing).rejects.toThrow('undone');
      expect(await mailed('key')).toEqual([]);
      await announceExpiry(clockAndIds());
      expect(await mailed('key')).toHaveLength(3);
    });

    it('names several keys in one mail', { tags: ['notices.spacing'] }, async () => {
      await create('First');
      await create('Second', 5);
      await announceExpiry(clockAndIds());
      const mails = await mailed('key');
      expect(addressesOf(mails)).toEqual(ACTING);
      expect(mails[0]?.subject).toBe('2 API keys expire soon');
      expect(mails[0]?.text).toMatch(/- First \(ends in .{4}\): \w{3}, .*\n- Second \(ends in .{4}\): \w{3}, /);
      expect(mails.map(buttonOf)).toEqual(ACTING.map(() => '/console/keys'));
    });

    it('waits an hour after a mail, and then names all keys announced in it', {
      tags: ['notices.spacing'],
    }, async () => {
      await create('One');
      await announceExpiry(clockAndIds());
      expect(await mailed('key')).toHaveLength(3);
      for (const name of ['Two', 'Three']) {
        await create(name);
        await announceExpiry(clockAndIds());
        expect(await mailed('key')).toEqual([]);
      }
      domains.server.clock.advance(HOUR_MS);
      const mails = await mailed('key');
      expect(mails.map(({ subject }) => subject)).toEqual(ACTING.map(() => '2 API keys expire soon'));
    });

    it('mails no one about a key that was revoked, or got a later expiry, in the meantime', {
      tags: ['notices.solved'],
    }, async () => {
      const [revoked, extended] = [await create('Revoked'), await create('Extended')];
      await announceExpiry(clockAndIds());
      await domains.server.call('DELETE', `/keys/${revoked}`);
      const expiresAt = new Date(domains.server.clock.now().getTime() + 90 * DAY_MS).toISOString();
      expect((await domains.server.call('PATCH', `/keys/${extended}`, { body: { expiresAt } })).status).toBe(200);
      expect(await mailed('key')).toEqual([]);
    });

    it('shows a hostile name as text, without a link or a header of it', {
      tags: ['notices.hostile'],
    }, async () => {
      const id = await create('Hostile');
      const name = '<a href="https://evil.example">x</a>\r\nBcc: spy@evil.example \u202egnp';
      await domains.server.database.sql`UPDATE api_keys SET name = ${name} WHERE id = ${id}`;
      await announceExpiry(clockAndIds());
      const [mail] = await mailed('key');
      for (const shown of [mail?.subject, mail?.text, mail?.html]) {
        expect(shown).not.toMatch(/evil\.example|spy@|\u202e|[\r]/);
      }
      expect(mail?.subject).not.toContain('\n');
      expect(mail?.html.match(/<a /g)).toHaveLength(1);
    });

    it('mails each member once, although two processes mail at once and one of them dies', {
      tags: ['notices.once'],
    }, async () => {
      const { sql, clock } = clockAndIds();
      const id = await create('Shared');
      await announceExpiry(clockAndIds());
      const before = (await readInstallationMail(domains.server.database, { tag: 'key' })).length;
      await Promise.all([mailNotices(mailer()), mailNotices(mailer())]);
      const since = async () =>
        addressesOf((await readInstallationMail(domains.server.database, { tag: 'key' })).slice(before));
      expect(await since()).toEqual(ACTING);
      // As if the process had died after the mails, and before it noted them down.
      const again = await sql`
        UPDATE notices SET mailed_at = NULL, due_at = ${clock.now()} WHERE target_id = ${id} AND mailed_at IS NOT NULL RETURNING id`;
      expect(again).toHaveLength(1);
      await mailNotices(mailer());
      expect(await since()).toEqual(ACTING);
    });

    it('are taken over from a process that died before it mailed them', { tags: ['notices.once'] }, async () => {
      await create('Left');
      await announceExpiry(clockAndIds());
      const now = domains.server.clock.now();
      const taken = await takeDueNotices(domains.server.database.sql, now, new Date(now.getTime() + 15 * MINUTE_MS));
      expect(taken.map(({ kind }) => kind)).toEqual(['key.expiring']);
      expect(await mailed('key')).toEqual([]);
      domains.server.clock.advance(15 * MINUTE_MS);
      expect(addressesOf(await mailed('key'))).toEqual(ACTING);
    });

    it('are not lost if the server refuses the mail for a while, and repeat none that was accepted', {
      tags: ['notices.once'],
    }, async () => {
      const { sql } = domains.server.database;
      await create('Refused');
      await announceExpiry(clockAndIds());
      await sql`UPDATE members SET email = 'nobody' WHERE email = 'admin@sandbox.test'`;
      const before = (await readInstallationMail(domains.server.database, { tag: 'key' })).length;
      await expect(mailNotices(mailer())).rejects.toThrow();
      await sql`UPDATE members SET email = 'admin@sandbox.test' WHERE email = 'nobody'`;
      domains.server.clock.advance(15 * MINUTE_MS);
      await mailNotices(mailer());
      const mails = (await readInstallationMail(domains.server.database, { tag: 'key' })).slice(before);
      expect(addressesOf(mails)).toEqual(ACTING);
    });

    it('are given up after hours of refusals', { tags: ['notices.once'] }, async () => {
      const { sql } = domains.server.database;
      await create('Hopeless');
      await announceExpiry(clockAndIds());
      const unsendable = { ...mailer(), mailFrom: 'no-reply@unverified.example' };
      await expect(mailNotices(unsendable)).rejects.toThrow(/domain/);
      domains.server.clock.advance(20 * HOUR_MS);
      await expect(mailNotices(unsendable)).rejects.toThrow(/domain/);
      domains.server.clock.advance(HOUR_MS);
      await mailNotices(unsendable);
      expect(await sql`SELECT FROM notices WHERE mailed_at IS NULL`).toHaveLength(0);
    });
  });

  describe('about domains', () => {
    const checked = async (ms: number) => {
      domains.server.clock.advance(ms);
      await domains.server.app.services.domains.checker.checkDue();
    };
    const spfOf = (records: Awaited<ReturnType<DomainServer['verified']>>['records']) => {
      const spf = records.find(({ purpose }) => purpose === 'spf');
      if (spf === undefined) throw new Error('there is no SPF record');
      return spf;
    };

    it('says what a domain lost and until when it sends, and later that it failed', {
      tags: ['notices.kinds', 'notices.readers'],
    }, async () => {
      const { id, records } = await domains.verified('loses.example');
      domains.dns.remove(spfOf(records).host, 'TXT');
      await checked(DAY_MS + MINUTE_MS);
      const degraded = await mailed('domain');
      expect(addressesOf(degraded)).toEqual(ACTING);
      expect(degraded[0]?.subject).toBe('Domain lost a required DNS record: loses[.]example');
      expect(degraded[0]?.text).toMatch(/Reason: Required and missing: SPF\.\nSends until: \w{3}, /);
      expect(degraded.map(buttonOf)).toEqual(ACTING.map(() => `/console/domains/${id}`));
      for (let hours = 0; hours < 74; hours += 1) await checked(HOUR_MS);
      const failed = await mailed('domain');
      expect(addressesOf(failed)).toEqual(ACTING);
      expect(failed[0]?.subject).toBe('Domain cannot send: loses[.]example');
      expect(failed[0]?.text).toContain('Reason: Required and missing for 72 hours: SPF.');
    });

    it('mails at most once a day about a domain that changes back and forth', {
      tags: ['notices.repeats'],
    }, async () => {
      const { id, records } = await domains.verified('flaps.example');
      const { sql } = domains.server.database;
      const spf = spfOf(records);
      const lose = async () => {
        domains.dns.remove(spf.host, 'TXT');
        await sql`UPDATE sending_domains SET next_check_at = ${domains.server.clock.now()} WHERE id = ${id}`;
        await checked(0);
      };
      const recover = async () => {
        domains.publish([spf]);
        await checked(HOUR_MS + MINUTE_MS);
      };
      const about = async () => (await mailed('domain')).filter(({ subject }) => subject.includes('flaps'));
      await lose();
      expect(await about()).toHaveLength(3);
      for (let times = 0; times < 5; times += 1) {
        await recover();
        domains.server.clock.advance(HOUR_MS);
        await lose();
        domains.server.clock.advance(HOUR_MS);
        expect(await about()).toEqual([]);
      }
      await recover();
      domains.server.clock.advance(DAY_MS);
      await lose();
      expect(await about()).toHaveLength(3);
    });

    it('mails no one about a domain that recovered before the mail was sent, and counts no mail for it', {
      tags: ['notices.solved', 'notices.repeats'],
    }, async () => {
      const { id, records } = await domains.verified('brief.example');
      const spf = spfOf(records);
      domains.dns.remove(spf.host, 'TXT');
      await checked(DAY_MS + MINUTE_MS);
      domains.publish([spf]);
      await checked(HOUR_MS + MINUTE_MS);
      expect((await domains.server.call('GET', `/domains/${id}`)).body.status).toBe('verified');
      expect((await mailed('domain')).filter(({ text }) => text.includes('brief'))).toEqual([]);
      domains.dns.remove(spf.host, 'TXT');
      await domains.server.call('POST', `/domains/${id}/verify`);
      expect((await mailed('domain')).filter(({ text }) => text.includes('brief'))).toHaveLength(3);
    });
  });

  describe('about a name that another account has proven to own', () => {
    it('notifies the members of the account that lost it, without naming the account that has it', {
      tags: ['notices.kinds', 'notices.readers'],
    }, async () => {
      const { id } = await domains.verified('taken.example');
      const other = await domains.server.newAccount('Winner Inc');
      const add = () => domains.server.call('POST', '/domains', { key: other.key, body: { name: 'taken.example' } });
      const [, host = '', value = ''] = /TXT record at (\S+) with the value (\S+) /.exec((await add()).body.fix) ?? [];
      domains.dns.set(host, 'TXT', [value]);
      expect((await add()).status).toBe(201);
      expect((await domains.server.call('GET', `/domains/${id}`)).body.status).toBe('failed');
      const mails = await mailed('domain');
      expect(addressesOf(mails)).toEqual(ACTING);
      expect(mails[0]?.text).toContain('Reason: Another account of this server has proven that it owns the name.');
      expect(mails[0]?.text).not.toContain('Winner');
    });
  });

  describe('about the quota', () => {
    const use = async (used: number) => {
      const { sql } = domains.server.database;
      const { accountId, clock } = domains.server;
      const month = `${clock.now().toISOString().slice(0, 7)}-01`;
      await sql`UPDATE accounts SET monthly_quota = 1000 WHERE id = ${accountId}`;
      await sql`
        INSERT INTO quota_usage (account_id, month, used) VALUES (${accountId}, ${month}, ${used})
        ON CONFLICT (account_id, month) DO UPDATE SET used = excluded.used`;
      await announceQuota({ ...clockAndIds(), monthlyQuota: 1_000_000 }, 'all');
    };
    const OWNERS = ['admin@sandbox.test', 'owner@sandbox.test'];

    it('is mailed at 80 % and at 100 %, to owners and admins, also without an endpoint', {
      tags: ['notices.kinds', 'notices.readers', 'notices.once'],
    }, async () => {
      await use(799);
      expect(await mailed('quota')).toEqual([]);
      await use(800);
      const eighty = await mailed('quota');
      expect(addressesOf(eighty)).toEqual(OWNERS);
      expect(eighty[0]?.subject).toBe('80 % of the monthly quota is used: Acme');
      expect(eighty[0]?.text).toContain('Used: 800 of 1,000 recipients');
      expect(eighty.map(buttonOf)).toEqual(['/console', '/console']);
      await use(1_000);
      const all = await mailed('quota');
      expect(addressesOf(all)).toEqual(OWNERS);
      expect(all[0]?.subject).toBe('The monthly quota is used up: Acme');
      await use(1_000);
      expect(await mailed('quota')).toEqual([]);
    });

    it('names only the higher threshold if both are reached at once', { tags: ['notices.kinds'] }, async () => {
      domains.server.clock.advance(31 * DAY_MS);
      await use(1_000);
      expect((await mailed('quota')).map(({ subject }) => subject)).toEqual(
        OWNERS.map(() => 'The monthly quota is used up: Acme'),
      );
    });
  });
});
