import { beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../packages/server/src/db/migrate.ts';
import { POSTMASTER_ACCOUNT_ID, POSTMASTER_KEY_ID } from '../../packages/server/src/db/queries/postmaster-account.ts';
import { isMailUnsealed } from '../../packages/server/src/db/queries/waiting-mail.ts';
import { openBody } from '../../packages/server/src/keys/sealed-body.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { sealWaitingMail } from '../../packages/server/src/support/seal-waiting-mail.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { createFormerDatabase } from '../harness/former-database.ts';
import type { TaggedSql } from '../harness/tagged.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp } from '../harness/test-app.ts';

const NO_ID = '00000000-0000-0000-0000-000000000000';

describe('the upgrade of a database', () => {
  const afterwards = useCleanUps();
  const ids = createIdGenerator();
  let sql: TaggedSql;
  let now: Date;
  let accountId: string;
  const before = async (lastMigration: string) => {
    const former = await createFormerDatabase(lastMigration);
    afterwards(() => former.drop());
    ({ sql } = former);
    await sql`INSERT INTO accounts (id, name, created_at) VALUES (${accountId}, 'Acme', ${now})`;
  };
  beforeEach(() => {
    now = new Date(Date.now() - 60_000);
    accountId = ids.next(now);
  });

  async function message(keyId: string, resendOf: string | null = null, owner = accountId): Promise<string> {
    const id = ids.next(now);
    await sql`
      INSERT INTO messages (account_id, id, key_id, created_at, from_given, from_domain, to_line, subject, status, channel, source, tags,
        metadata, charged, event_count, resend_of)
      VALUES (${owner}, ${id}, ${keyId}, ${now}, 'a@b.example', 'b.example', 'c@d.example', 'Hi', 'queued', 'api', 'backend', '{}', '{}', 0,
        1, ${resendOf})`;
    return id;
  }

  async function noteRequest(method: string, keyId: string, emailId: string): Promise<void> {
    await sql`
      INSERT INTO request_log (account_id, id, request_id, method, path, status, duration_ms, key_id, email_id, created_at)
      VALUES (${accountId}, ${ids.next(now)}, 'r', ${method}, '/emails/x/resend', 202, 1, ${keyId}, ${emailId}, ${now})`;
  }

  it('still mails members about endpoints that were disabled right before it', {
    tags: ['holes.upgrades', 'notices.once'],
  }, async () => {
    await before('0055');
    const [noticed, mailed] = [ids.next(now), ids.next(now)];
    for (const [id, dueAt] of [[noticed, now] as const, [mailed, null] as const]) {
      await sql`
        INSERT INTO webhook_endpoints (account_id, id, url, events, status, disabled_reason, secret, notice_due_at, created_at)
        VALUES (${accountId}, ${id}, 'https://hooks.example', '{}', 'disabled', 'gone', '\\x00', ${dueAt}, ${now})`;
    }
    await migrate(sql);
    expect(await sql`SELECT kind, target_id, due_at, mailed_at FROM notices`).toEqual([
      { kind: 'webhook.disabled', target_id: noticed, due_at: now, mailed_at: null },
    ]);
  });

  it('assigns the idempotency keys of resends to their callers, and of unknown callers to no one', {
    tags: ['holes.upgrades'],
  }, async () => {
    await before('0033');
    const [issuer, agent] = [ids.next(now), ids.next(now)];
    const first = await message(issuer);
    const known = await message(issuer, first);
    const unknown = await message(issuer, first);
    await noteRequest('POST', agent, known);
    await noteRequest('POST', issuer, known);
    await noteRequest('GET', agent, unknown);
    for (const [key, id] of Object.entries({ first, known, unknown })) {
      await sql`
        INSERT INTO idempotency_keys (account_id, key, fingerprint, message_id, created_at) VALUES (${accountId}, ${key}, 'f', ${id}, ${now})`;
    }
    expect(await migrate(sql)).toContain('0034-caller-facts.sql');
    const rows = await sql`SELECT key, key_id FROM idempotency_keys ORDER BY key`;
    expect(rows.map((row) => [row['key'], row['key_id']])).toEqual([
      ['first', issuer],
      ['known', agent],
      ['unknown', NO_ID],
    ]);
  });

  it('leaves what was sent since migration 0034 with its owner', { tags: ['holes.upgrades'] }, async () => {
    await before('0042');
    const issuer = ids.next(now);
    const own = await message(issuer, await message(issuer));
    await sql`UPDATE schema_migrations SET applied_at = now() - interval '1 day'`;
    await sql`
      INSERT INTO idempotency_keys (account_id, key_id, key, fingerprint, message_id, created_at)
      VALUES (${accountId}, ${issuer}, 'own', 'f', ${own}, ${now})`;
    await migrate(sql);
    expect((await sql`SELECT key_id FROM idempotency_keys`)[0]?.['key_id']).toBe(issuer);
  });

  it('encrypts the queued mail of the installation, wherever it was sent from, and removes what was sent', {
    tags: ['holes.upgrades'],
  }, async () => {
    await before('0033');
    await sql`INSERT INTO accounts (id, name, created_at) VALUES (${POSTMASTER_ACCOUNT_ID}, 'Postrider', ${now}) ON CONFLICT DO NOTHING`;
    const link = 'https://mail.example/approvals/secret-link';
    const store = async (id: string, isWaiting: boolean, owner = accountId) => {
      await sql`
        INSERT INTO message_bodies (account_id, message_id, html, text, headers) VALUES (${owner}, ${id}, ${`<a href="${link}">x</a>`}, ${link}, '{}')`;
      if (!isWaiting) return;
      await sql`
        INSERT INTO deliveries (account_id, id, message_id, route, ordinals, next_at, expires_at)
        VALUES (${owner}, ${ids.next(now)}, ${id}, 'direct', '{1}', ${now}, ${now})`;
    };
    const elsewhere = await message(POSTMASTER_KEY_ID);
    const inside = await message(POSTMASTER_KEY_ID, null, POSTMASTER_ACCOUNT_ID);
    const sent = await message(POSTMASTER_KEY_ID);
    const customers = await message(ids.next(now));
    await store(elsewhere, true);
    await store(inside, true, POSTMASTER_ACCOUNT_ID);
    await store(sent, false);
    await store(customers, true);
    await migrate(sql);
    const secrets = createSecretBox(TEST_SECRET_KEY);
    expect(await sealWaitingMail(sql, secrets)).toBe(2);
    expect([await isMailUnsealed(sql), await sealWaitingMail(sql, secrets)]).toEqual([false, 0]);
    const bodies = await sql<{ id: string; text: string; html: string | null }[]>`
      SELECT message_id AS id, text, html FROM message_bodies`;
    expect(bodies.map(({ id }) => id).sort()).toEqual([elsewhere, inside, customers].sort());
    for (const { id, text, html } of bodies) {
      if (id === customers) expect(text).toBe(link);
      else {
        expect(text + String(html)).not.toContain('secret-link');
        expect(openBody(secrets, { text, html })).toEqual({ text: link, html: `<a href="${link}">x</a>` });
      }
    }
  });

  it('sends what it encrypted under a customer’s account, decrypted', { tags: ['holes.upgrades'] }, async () => {
    const server = await startTestApp();
    afterwards(() => server.close());
    const { database } = server;
    const scheduled = new Date(server.clock.now().getTime() + 3_600_000).toISOString();
    const { body } = await server.send({ text: 'Sign in: https://mail.example/secret', scheduled_at: scheduled });
    await database.sql`UPDATE messages SET key_id = ${POSTMASTER_KEY_ID} WHERE id = ${body.id}`;
    await database.sql`INSERT INTO installation (name, value) VALUES ('waiting_mail', 'unsealed')`;
    expect(await sealWaitingMail(database.sql, createSecretBox(TEST_SECRET_KEY))).toBe(1);
    server.clock.advance(3_700_000);
    await expect
      .poll(async () => {
        await server.pump();
        return JSON.stringify((await server.call('GET', '/dev/mailbox')).body.messages);
      })
      .toContain('Hello');
    const [{ id }] = (await server.call('GET', '/dev/mailbox')).body.messages;
    const eml = await server.call('GET', `/dev/mailbox/${id}.eml`);
    expect(String(eml.body)).toContain('https://mail.example/secret');
  });

  it('leaves nothing to encrypt in a new database', async () => {
    await before('0042');
    await migrate(sql);
    expect(await isMailUnsealed(sql)).toBe(false);
  });
});
