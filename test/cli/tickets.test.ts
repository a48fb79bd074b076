import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runInProcess, type Terminal } from './run-in-process.ts';

describe('postrider tickets', () => {
  let server: TestApp;
  let folder: string;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    folder = await mkdtemp(join(tmpdir(), 'postrider-cli-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (argv: readonly string[], terminal: Terminal = {}) => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' };
    return runInProcess(argv, { env, cwd: folder, ...terminal });
  };
  const json = async (argv: readonly string[]) => {
    const { code, stdout } = await run([...argv, '--json']);
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };

  it('raises a ticket with a body of a file and context, lists it, reads it and replies', {
    tags: ['contract-surfaces.sdk-tickets'],
  }, async () => {
    await writeFile(join(folder, 'question.txt'), 'Where is it?\nIt is late.\n');
    const { body: sent } = await server.send();
    const words = ['tickets', 'create', '--subject', 'Late mail', '--body', '@question.txt', '--email-id', sent.id];
    const ticket = await json([...words, '--context', '{"page":"/x"}']);
    expect(ticket).toMatchObject({ status: 'open', context: { page: '/x', emailTrail: { id: sent.id } } });
    const table = (await run(['tickets', 'list'], { columns: 200 })).stdout;
    expect(table).toMatch(/^NUMBER +STATUS +SUBJECT +LAST FROM +MESSAGES +OPENED \(UTC\) +ID$/m);
    expect(table).toMatch(new RegExp(`^${ticket.number} +open +Late mail +customer +1 +\\d{4}-`, 'm'));
    const shown = await run(['tickets', 'get', String(ticket.number)], { columns: 100 });
    for (const text of ['Late mail', '  Where is it?\n  It is late.', '"page": "/x"', '"type": "queued"'])
      expect(shown.stdout).toContain(text);
    const replied = await json(['tickets', 'reply', String(ticket.number), '--body', 'Found it.']);
    expect(replied.messages).toMatchObject([{}, { author: 'customer', body: 'Found it.' }]);
  });

  it('exits with 5 for an unknown ticket and with 6 for a rejected request, and says what to do next', async () => {
    expect((await run(['tickets', 'get', '999999'])).code).toBe(5);
    const refused = await run(['tickets', 'create', '--subject', ' ', '--body', 'x', '--json']);
    expect([refused.code, JSON.parse(refused.stderr).errors[0].path]).toEqual([6, 'subject']);
    const { number } = await json(['tickets', 'create', '--subject', 'Over', '--body', 'x']);
    await server.database.sql`UPDATE support_tickets SET status = 'closed' WHERE number = ${number}`;
    const closed = await run(['tickets', 'reply', String(number), '--body', 'More', '--json']);
    expect([closed.code, JSON.parse(closed.stderr).fix]).toEqual([
      6,
      `Raise a new ticket, and name ticket ${number} in it.`,
    ]);
  });

  it('prints a reply from support without terminal control sequences', async () => {
    const { id, number } = await json(['tickets', 'create', '--subject', 'Hi', '--body', 'x']);
    const evil = '\u001b]0;owned\u0007\u001b[2Jgone\u202e';
    await server.database.sql`
      INSERT INTO support_messages (account_id, ticket_id, seq, author, body, created_at)
      VALUES (${server.accountId}, ${id}, 2, 'support', ${evil}, now())`;
    await server.database.sql`UPDATE support_tickets SET status = 'pending' WHERE id = ${id}`;
    const { stdout, stderr } = await run(['tickets', 'get', String(number)], { columns: 100 });
    expect(stdout).toContain('  gone\n');
    expect(stdout).not.toMatch(/[^\n\P{Cc}]|\u202e/u);
    expect(stderr).toContain(`postrider tickets reply ${number}`);
  });
});
