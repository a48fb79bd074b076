import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningReports, startReports } from '../../packages/server/src/inbound/start-reports.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { bringMail, type ReportApp, returnPathOf, startReportApp } from '../harness/report-client.ts';
import { postfixBounce } from '../harness/report-samples.ts';
import { openSmtpSession, type SmtpSession } from '../harness/smtp-session.ts';

let server: ReportApp;
let id: string;
let returnPath: string;
beforeAll(async () => {
  server = await startReportApp();
  id = (await server.send({ to: 'ann@example.com' })).body.id;
  await server.settled(id);
  returnPath = returnPathOf(server, id);
});
afterAll(() => server.close());
const cleanUp = useCleanUps();

const readEvents = async () =>
  (await server.call('GET', `/emails/${id}`)).body.events.map(({ type }: { type: string }) => type);
const UNTOUCHED = ['queued', 'sent', 'delivered'];

async function open(port = server.inboundPort): Promise<SmtpSession> {
  const session = await openSmtpSession(port);
  cleanUp(() => session.close());
  await session.say('EHLO mx.example.com');
  return session;
}

/** A session that is about to bring a report. */
async function openData(port?: number): Promise<SmtpSession> {
  const session = await open(port);
  await session.say('MAIL FROM:<>');
  await session.say(`RCPT TO:<${returnPath}>`);
  expect(await session.say('DATA')).toMatch(/^354/);
  return session;
}

type Limits = Parameters<typeof startReports>[1]['limits'];

/** The port for reports, in front of the same server, with limits that a test can wait for. */
async function startBeside(limits: Limits): Promise<RunningReports> {
  const running = await startReports(
    { ...server.config, inboundPort: 0 },
    {
      sql: server.app.sql,
      clock: server.clock,
      ids: createIdGenerator(),
      logger: pino({ level: 'silent' }),
      name: 'reports.test',
      ...(limits === undefined ? {} : { limits }),
    },
  );
  cleanUp(() => running.drain());
  return running;
}

const report = () =>
  postfixBounce({ recipient: 'ann@example.com', returnPath, messageId: id }).replaceAll('\n', '\r\n');

describe('the port for reports', () => {
  it('offers TLS and no login, and accepts only reports', async () => {
    const session = await open();
    session.write('EHLO mx.example.com\r\n');
    const offer = (await session.reply()) ?? '';
    expect(offer).toContain('STARTTLS');
    expect(offer).toContain('SIZE 1048576');
    expect(offer).not.toContain('AUTH');
    expect(await session.say('AUTH PLAIN AGEAYg==')).toMatch(/^5\d\d /);
    expect(await session.say('MAIL FROM:<ada@sandbox.test>')).toMatch(/^250 /);
    for (const address of [
      'ann@example.com',
      'ada@sandbox.test',
      `${'x'.repeat(300)}@sandbox.test`,
      '"a b"@sandbox.test',
    ]) {
      expect(await session.say(`RCPT TO:<${address}>`), address).toMatch(/^5\d\d /);
    }
    await session.say('RSET');
    expect(await session.say('STARTTLS')).toMatch(/^220 /);
    const secured = await session.secure();
    cleanUp(() => secured.close());
    await secured.say('EHLO mx.example.com');
    expect(await bringMail(0, returnPath, 'Subject: x\n\nHi\n', { session: secured })).toMatch(/^250 /);
  });

  it('stops guesses of return paths soon', async () => {
    const session = await open();
    await session.say('MAIL FROM:<>');
    const replies: string[] = [];
    for (let reply = await session.say('RCPT TO:<b+1.2@sandbox.test>'); reply !== null; ) {
      replies.push(reply.slice(0, 3));
      reply = await session.say('RCPT TO:<b+1.2@sandbox.test>');
    }
    expect(replies).toEqual([...Array(19).fill('550'), '421']);
  });
});

describe('a report within a report', () => {
  it('is found only after CR LF dot CR LF, and what looks like another end is rejected', async () => {
    const second = `MAIL FROM:<>\r\nRCPT TO:<${returnPath}>\r\nDATA\r\n${report()}\r\n.\r\n`;
    for (const end of ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n', '\r\n.\r', '\r\n\0.\r\n', '\n\n.\r\n\r\n']) {
      const session = await openData();
      session.write(`Subject: x\r\n\r\nHi${end}${second}\r\n.\r\n`);
      expect([end, await session.reply()]).toEqual([end, expect.stringMatching(/^554 5\.5\.2 /)]);
      expect([end, await session.reply()]).toEqual([end, null]);
    }
    expect(await readEvents()).toEqual(UNTOUCHED);
  });
});

describe('hostile mail', () => {
  const parts = (count: number, boundary: string, inner: string) =>
    `${`--${boundary}\r\n${inner}`.repeat(count)}--${boundary}--\r\n`;
  const nested = (depth: number) => {
    let opened = '';
    for (let level = 0; level < depth; level += 1) {
      opened += `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n`;
    }
    return opened;
  };
  const head = 'Content-Type: multipart/report; report-type=delivery-status; boundary="x"\r\n';
  const status = (body: string) =>
    `${head}\r\n--x\r\nContent-Type: message/delivery-status\r\n\r\n${body}\r\n--x--\r\n`;

  it.each([
    [
      '10,000 parts',
      `${head}\r\n${parts(10_000, 'x', 'Content-Type: message/delivery-status\r\n\r\nAction: failed\r\n')}`,
    ],
    ['parts nested 5,000 deep', nested(5_000)],
    ['a header of 900 KB', `${'X-Many: x\r\n'.repeat(80_000)}\r\nHi\r\n`],
    ['one field of 900 KB', `X-Long: ${`${'x'.repeat(900)}\r\n `.repeat(1_000)}\r\n\r\nHi\r\n`],
    ['a boundary that nearly fits everywhere', `${head}\r\n${'--xx\r\n'.repeat(150_000)}`],
    ['100,000 groups of fields', status('A: b\r\n\r\n'.repeat(100_000))],
    ['a field continued 200,000 times', status(`Action: failed\r\n${' x\r\n'.repeat(200_000)}`)],
    ['half a megabyte of empty lines', status('\r\n'.repeat(250_000))],
    [
      '20,000 unrelated recipients',
      status('\r\nAction: failed\r\nFinal-Recipient: rfc822;a@b.example\r\n'.repeat(15_000)),
    ],
    ['invalid characters', Buffer.from('\xff\xfe\xfdgarbage\r\n', 'latin1').toString('latin1')],
    ['an endless qmail bounce', `\r\nHi. This is the qmail-send program\r\n\r\n${'<a@b.example>:\r\n'.repeat(50_000)}`],
  ])('with %s is accepted quickly, and changes nothing', async (_name, mail) => {
    const session = await openData();
    const began = performance.now();
    session.write(Buffer.from(`${mail}\r\n.\r\n`, 'latin1'));
    expect(await session.reply()).toMatch(/^250 /);
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(await readEvents()).toEqual(UNTOUCHED);
  });

  it('is rejected when it is larger than a megabyte, announced or not', async () => {
    const session = await open();
    expect(await session.say('MAIL FROM:<> SIZE=1048577')).toMatch(/^552 /);
    const sending = await openData();
    const line = Buffer.from(`${'x'.repeat(1_022)}\r\n`.repeat(128));
    for (let piece = 0; piece < 9; piece += 1) sending.write(line);
    sending.write('.\r\n');
    expect(await sending.reply()).toMatch(/^552 5\.3\.4 /);
    expect(await sending.say('NOOP')).toMatch(/^250 /);
  });

  it('gets a reply or a closed connection, like random commands, and does no harm', async () => {
    for (const bytes of [randomBytes(4_000), Buffer.alloc(100_000, 0x41), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
      const session = await openSmtpSession(server.inboundPort);
      cleanUp(() => session.close());
      session.write(bytes);
      session.write('\r\n'.repeat(20));
      for (let reply = await session.reply(); reply !== null; reply = await session.reply()) {
        expect(reply).toMatch(/^(421|5\d\d) /);
      }
    }
    expect((await server.call('GET', '/health')).status).toBe(200);
  });
});

describe('time and resources', () => {
  it('are limited for silence, for an endless message, and for a connection', async () => {
    const { port } = await startBeside({ stallMs: 300, messageMs: 600, sessionMs: 1_500 });
    const silent = await open(port);
    expect(await silent.reply()).toMatch(/^421 /);
    const dripping = await openData(port);
    const busy = await open(port);
    const timer = setInterval(() => {
      dripping.write('x');
      busy.write('NOOP\r\n');
    }, 50);
    cleanUp(() => clearInterval(timer));
    expect(await dripping.reply()).toMatch(/^421 4\.4\.2 The message took too long/);
    let last = await busy.reply();
    for (let reply = last; reply !== null; reply = await busy.reply()) last = reply;
    expect(last).toMatch(/^421 4\.4\.2 The connection was open too long/);
    expect(await readEvents()).toEqual(UNTOUCHED);
  });

  it('are limited: connections per address, and mail per connection', async () => {
    const { port } = await startBeside({ perAddress: 2, messagesPerConnection: 2 });
    const first = await open(port);
    const second = await open(port);
    const third = connect({ port, host: '127.0.0.1' });
    expect(await text(third)).toMatch(/^421 4\.7\.0 Too many connections/);
    second.close();
    for (const _ of [1, 2]) {
      expect(await first.say('MAIL FROM:<>')).toMatch(/^250 /);
      await first.say('RSET');
    }
    expect(await first.say('MAIL FROM:<>')).toMatch(/^421 4\.5\.3 /);
    await expect.poll(async () => (await openSmtpSession(port)).say('NOOP'), { timeout: 5_000 }).toMatch(/^250 /);
  });

  it('at the database are not used up by queries for unknown hosts', async () => {
    const sessions = await Promise.all(Array.from({ length: 40 }, () => open()));
    for (const session of sessions) await session.say('MAIL FROM:<>');
    let last: Promise<string | null> = Promise.resolve(null);
    await server.database.sql.begin(async (transaction) => {
      await transaction`LOCK TABLE sending_domains IN ACCESS EXCLUSIVE MODE`;
      const asked = sessions.map((session, n) => session.say(`RCPT TO:<abuse@host${n}.example>`));
      // Another whole session: what was written before it has been read by then.
      expect(await (await open()).say('NOOP')).toMatch(/^250/);
      expect(await readEvents()).toEqual(UNTOUCHED);
      last = Promise.all(asked).then((replies) => replies.find((reply) => !reply?.startsWith('550 5.1.1 ')) ?? null);
    });
    expect(await last).toBeNull();
  });

  it('do not delay the readiness check while hundreds of connections are idle', async () => {
    const idle = await Promise.all(Array.from({ length: 400 }, () => openSmtpSession(server.inboundPort)));
    cleanUp(() => {
      for (const session of idle) session.close();
    });
    const began = performance.now();
    expect((await server.call('GET', '/health/ready')).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
