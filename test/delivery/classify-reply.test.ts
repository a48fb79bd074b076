import { describe, expect, it } from 'vitest';
import {
  type Classification,
  classifyDiagnostic,
  classifyReply,
} from '../../packages/server/src/delivery/classify-reply.ts';
import { REPLY_PATTERNS } from '../../packages/server/src/delivery/reply-patterns.ts';
import { MalformedReplyError, SmtpReplyParser } from '../../packages/server/src/smtp-client/smtp-reply-parser.ts';
import { toServerReply } from '../../packages/server/src/smtp-client/smtp-reply-text.ts';

/** Classifies a reply as it comes from the wire, without its line ends. */
function classify(line: string, kind: 'refused' | 'expired' = 'refused', aboutRecipient = true): Classification {
  return classifyReply(toServerReply(Number(line.slice(0, 3)), line.slice(4), 'mx.test', aboutRecipient), kind);
}

describe('classifyReply', () => {
  it.each([
    // By enhanced code.
    ['550 5.1.1 The email account that you tried to reach does not exist.', 'hard'],
    ['550 5.1.1 <ann@x.test>: Recipient address rejected: User unknown in virtual mailbox table', 'hard'],
    ["553 5.1.2 We weren't able to find the recipient domain.", 'hard'],
    ['501 5.1.3 Bad recipient address syntax', 'hard'],
    ['551 5.1.6 The recipient has moved', 'hard'],
    ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found', 'hard'],
    ['556 5.1.10 Recipient domain has a null MX', 'hard'],
    ['550 5.2.1 The email account that you tried to reach is inactive.', 'hard'],
    ['552 5.2.2 The email account that you tried to reach is over quota.', 'soft'],
    ['452 4.2.2 The email account that you tried to reach is over quota.', 'soft'],
    ['552 5.3.1 Mail system full', 'soft'],
    ['554 5.4.7 Delivery expired', 'soft'],
    ['550 5.7.1 Service unavailable; client host blocked using a list', 'block'],
    ['550 5.7.26 This mail has been blocked because the sender is unauthenticated.', 'block'],
    ['554 5.7.9 Message not accepted for policy reasons.', 'block'],
    // By words alone.
    ['550 No such user here', 'hard'],
    ['550 <ann@x.test>: User unknown', 'hard'],
    ['550 Unknown user', 'hard'],
    ['550 Requested action not taken: mailbox does not exist', 'hard'],
    ['550 Invalid recipient', 'hard'],
    ["554 delivery error: This user doesn't have an account here. Account ann not found", 'hard'],
    ['550 Mailbox disabled', 'hard'],
    ['556 Domain does not accept mail', 'hard'],
    ['552 Mailbox is full', 'soft'],
    ['550 quota exceeded', 'soft'],
    ['554 Your address 192.0.2.1 is listed at zen.spamhaus.org', 'block'],
    ['550 Message rejected as spam by content filtering', 'block'],
    ['554 Relay access denied', 'block'],
    ['550 SPF check failed', 'block'],
    ['550 Too many connections from your host, throttled', 'soft'],
    ['550 sorry, no mailbox here by that name (#5.1.1)', 'hard'],
    ['550 Account not found', 'hard'],
    ['550 "Unknown User"', 'hard'],
    ['550 no one here by that name', 'hard'],
    ['550 ann has left the company', 'hard'],
    ["550 We couldn't find this recipient in our directory: recipient can’t be found", 'hard'],
    ['550 this mailbox cannot receive any more mail', 'soft'],
    // Names of conditions, as some servers put them.
    ['550 UserUnknown', 'hard'],
    ['550 mailbox_full', 'soft'],
    ['550 RESOLVER.ADR.RecipientNotFound; not found', 'hard'],
    ['550 554 5.4.4 SMTPSEND.DNS.NonExistentDomain; nonexistent domain', 'hard'],
    // A reply within the reply.
    ['550 host mx.test said: 550 5.1.1 this one is not known to us', 'hard'],
    ['550 Error: [5.2.2]', 'soft'],
    ['554 5.4.4 Unable to route: no mail hosts for domain', 'hard'],
    ['554 5.4.4 Unable to route', 'unknown'],
    // The code speaks of policy, and the words outright of something else.
    ['554 5.7.1 <ann@x.test>: Recipient address rejected: User unknown', 'hard'],
    ['550 5.7.1 Greylisted, please try again in 300 seconds', 'soft'],
    ['552 5.7.1 Message is too long', 'unknown'],
    ['550 5.4.1 ann: no such recipient', 'hard'],
    // The size of a mailbox is not the size of a message.
    ['552 5.2.3 Mailbox size limit exceeded', 'soft'],
    ['552 5.2.3 Message size exceeds the limit of the recipient', 'unknown'],
    // With 521 a server rejects every connection.
    ['521 5.2.1 AOL will not accept delivery of this message.', 'block'],
    ['521 5.2.1 (CON:B1)', 'block'],
    // A code of the class 4 under a refusal for good: the servers disagree with themselves.
    ['550 4.1.1 User unknown', 'soft'],
    ['550 4.7.1 Blocked by a list', 'block'],
    // 556 is about the domain where it says so.
    ['556 remote ip check error', 'block'],
    ['556 too many commands', 'unknown'],
    ['550 5.6.0 Message is not as it should be', 'block'],
    ['550 5.6.7 SMTPUTF8 required but not supported', 'unknown'],
    // Not enough to say, or said about us.
    ['550 5.4.1 Recipient address rejected: Access denied', 'unknown'],
    ['550 Your account is suspended', 'unknown'],
    ['550 Outgoing mail from this account has been suspended', 'unknown'],
    ['550 Mailbox unavailable or access denied', 'unknown'],
    ['550 Verification failed for <ann@x.test>, no such user here', 'unknown'],
    ['554 No valid recipients', 'unknown'],
    ['554 mail loops back to myself', 'unknown'],
    ['554 5.4.6 Too many hops', 'unknown'],
    ['550 Your IP address is unknown here', 'unknown'],
    ['550 HELO address invalid', 'unknown'],
    ['550 Requested action not taken: mailbox unavailable', 'unknown'],
    ['550 5.1.0 Address rejected', 'unknown'],
    ['550 5.1.7 Bad sender address', 'unknown'],
    ['550 5.1.8 Sender domain does not exist', 'unknown'],
    ['550 Sender address rejected: user unknown', 'unknown'],
    ['554 Transaction failed', 'unknown'],
    ['550 no', 'unknown'],
    ['552 5.3.4 Message too big for system', 'unknown'],
    ['550 5.5.0 Command rejected', 'unknown'],
  ] as const)('%s -> %s', (line, classification) => {
    expect(classify(line)).toBe(classification);
  });

  it('reads a multi-line reply as one', () => {
    expect(classify('550 We looked for it, but this user\ndoes not\nexist')).toBe('hard');
    expect(classify('550 5.7.1 Your message\n5.7.1 was refused')).toBe('block');
  });

  it('ignores "no such address" when the text is about something else', () => {
    expect(classify('550 5.1.1 Blocked by our policy, see https://x.test/blocklist')).toBe('block');
    expect(classify('550 5.1.1 Mailbox full')).toBe('soft');
    expect(classify('550 5.1.1 Sender verify failed')).toBe('unknown');
    expect(classify('550 5.1.1 Greylisted, try again later')).toBe('soft');
  });

  it('never classifies as hard what concerns more than the recipient', () => {
    for (const line of ['550 5.1.1 no such user', '550 User unknown', '556 no mail here']) {
      expect(classify(line, 'refused', false), line).toBe('unknown');
    }
    expect(classify('554 5.7.1 you are blocked', 'refused', false)).toBe('block');
  });

  it('never classifies as hard what was deferred until it expired', () => {
    expect(classify('450 4.1.1 User unknown', 'expired')).toBe('soft');
    expect(classify('550 5.1.1 User unknown', 'expired')).toBe('soft');
    expect(classify('451 4.3.0 Temporary failure', 'expired')).toBe('soft');
    expect(classify('450 what', 'expired')).toBe('soft');
    expect(classify('451 4.7.1 Greylisted', 'expired')).toBe('soft');
    expect(classify('421 4.7.0 Unusual rate of unsolicited mail from your address', 'expired')).toBe('soft');
    expect(classify('450 4.1.1 User unknown', 'refused')).toBe('soft');
  });

  it('classifies a network failure as soft, and our own rejection as unknown', () => {
    expect(classifyReply(null, 'expired')).toBe('soft');
    expect(classifyReply(null, 'refused')).toBe('unknown');
  });

  it('never classifies as unknown user when the text is about the sender', () => {
    for (const text of [
      '550 The domain of sender does not exist',
      '550 <ann@x.test>: Sender address rejected: User unknown in local recipient table',
      '550 Return path not found',
      '550 MAIL FROM user unknown',
      '535 user name or password invalid',
      '535 5.7.8 User not found',
      '550 Invalid address in From header',
      '550 Your user account has been disabled',
      '550 IP address not found',
      '550 The bounce address does not exist',
      '550 Recipient may not exist',
      '550 User not found or you are not permitted to see it',
      '550 Absenderadresse existiert nicht',
      "550 L'adresse de l'expediteur n'existe pas",
      '550 La direccion del remitente no existe',
      '550 Adres nadawcy nie istnieje',
      '550 message sending for this account is disabled',
      '550 Your mailbox does not exist',
    ]) {
      expect(classify(text), text).not.toBe('hard');
    }
  });

  it('does not read names of users and domains as words of the server', () => {
    expect(classify('550 <spam.policy@blocked.test>: User unknown')).toBe('hard');
    expect(classify('550 <unknown.user@invalid.test> refused')).toBe('unknown');
    expect(classify('550 User unknown, see https://mx.test/spam/blocked.html')).toBe('hard');
    expect(classify('550 User unknown at relay.blocked.test')).toBe('hard');
    expect(classify('550 see https://x.test/user-unknown/no-such-user')).toBe('unknown');
    expect(classify('550 see https://x.test/blocklist')).toBe('block');
  });
});

describe('replies in other languages than English', () => {
  it.each([
    ['550 5.1.0 Empfänger unbekannt', 'hard'],
    ['550 Diese E-Mail-Adresse existiert nicht', 'hard'],
    ['552 Das Postfach des Empfängers ist voll', 'soft'],
    ['554 Ihre IP-Adresse steht auf einer Sperrliste', 'block'],
    ["550 Cette adresse n'existe pas", 'hard'],
    ['552 Boîte aux lettres pleine', 'soft'],
    ['550 Accès refusé', 'block'],
    ['550 El usuario no existe', 'hard'],
    ['552 Buzón lleno', 'soft'],
    ['550 Usuário desconhecido', 'hard'],
    ['552 Caixa postal cheia', 'soft'],
    ['550 Utente sconosciuto', 'hard'],
    ['552 Casella piena', 'soft'],
    ['550 Dit e-mailadres bestaat niet', 'hard'],
    ['550 Użytkownik nie istnieje', 'hard'],
    ['552 Skrzynka odbiorcy jest przepełniona', 'soft'],
    ['550 Почтовый ящик не существует', 'hard'],
    ['552 Почтовый ящик переполнен', 'soft'],
    ['554 Письмо отклонено как спам', 'block'],
    ['550 ユーザーが存在しません', 'hard'],
    ['552 メールボックスがいっぱいです', 'soft'],
    ['550 收件人不存在', 'hard'],
    ['552 邮箱已满', 'soft'],
    ['554 垃圾邮件被拒绝', 'block'],
    ['550 адрес отправителя не существует', 'unknown'],
    ['550 差出人アドレスが存在しません', 'unknown'],
    ['550 发件人地址不存在', 'unknown'],
    ['550 보낸 사람 주소가 존재하지 않습니다', 'unknown'],
    ['550 존재하지 않는 사용자입니다', 'hard'],
    ['552 메일함이 가득 찼습니다', 'soft'],
  ] as const)('%s -> %s', (line, classification) => {
    const bytes = Buffer.from(line.slice(4), 'utf8').toString('latin1');
    expect(classify(`${line.slice(0, 4)}${bytes}`)).toBe(classification);
    expect(classifyDiagnostic({ status: null, diagnostic: `smtp; ${line}`, action: 'failed' })).toBe(classification);
  });
});

describe('classifyDiagnostic', () => {
  it.each([
    ['5.1.1', '', 'hard'],
    ['5.1.1', 'smtp; 550 5.1.1 <ann@x.test>: Recipient address rejected: User unknown', 'hard'],
    [
      '5.1.10',
      'smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ann@x.test not found by SMTP address lookup',
      'hard',
    ],
    ['5.2.1', '', 'hard'],
    [
      '5.4.4',
      'X-Postfix; Host or domain name not found. Name service error for name=x.test type=AAAA: Host not found',
      'hard',
    ],
    ['5.2.2', '', 'soft'],
    ['5.4.7', 'smtp; The message could not be delivered in time', 'soft'],
    ['5.7.1', '', 'block'],
    ['5.0.0', '', 'unknown'],
    ['5.0.0', 'x-unix; unknown command', 'unknown'],
    // The status of the rejecting server takes precedence over that of the reporting one.
    ['5.0.0', 'smtp; 550 5.1.1 No such user', 'hard'],
    ['5.0.0', 'smtp; 550 User unknown', 'hard'],
    ['5.1.1', 'smtp; 550 5.7.1 Message rejected by our policy', 'block'],
    ['5.1.1', 'smtp; 552 5.2.2 Over quota', 'soft'],
    ['5.0.0', 'smtp; 553 Message filtered. (#5.7.1)', 'block'],
    // The lines of a reply, folded into one.
    [
      '5.0.0',
      'smtp; 550-5.1.1 The email account that you tried to reach does\n 550-5.1.1 not exist. Please try 550 5.1.1 double-checking the address',
      'hard',
    ],
    [
      '5.7.1',
      'smtp; 550-5.7.1 Unauthenticated email from x.test is not\r\n\taccepted 550 5.7.1 due to its DMARC policy',
      'block',
    ],
    // Put off until it expired.
    ['5.4.7', 'smtp; 450 4.1.1 User unknown', 'soft'],
    ['5.1.1', 'smtp; 421 4.7.0 Blocked for now', 'soft'],
    ['4.4.7', 'smtp; delivery time expired', 'soft'],
    ['4.4.1', '', 'soft'],
    // What is no code at all.
    [null, '', 'unknown'],
    ['', '', 'unknown'],
    ['2.1.5', '', 'unknown'],
    ['5.1', '', 'unknown'],
    ['9.9.9', 'smtp; 999 no', 'unknown'],
    ['5.1.1.1', '', 'unknown'],
    [null, 'smtp; 550 5.1.1 No such user', 'hard'],
    [null, 'smtp; 5.1.1 No such user', 'hard'],
    [' 5.1.1 (bad destination mailbox address)', '', 'hard'],
  ] as const)('%s, %s -> %s', (status, diagnostic, classification) => {
    expect(classifyDiagnostic({ status, diagnostic, action: 'failed' })).toBe(classification);
  });

  it('classifies a delay as soft, whatever its text says', () => {
    for (const status of [null, '4.4.1', '5.1.1']) {
      expect(classifyDiagnostic({ status, diagnostic: 'smtp; 550 5.1.1 No such user', action: 'delayed' })).toBe(
        'soft',
      );
    }
  });
});

describe('hostile replies', () => {
  const CONTROLS = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
  const HIDING = '\u200b\u202e\u2028\ufeff\u0000\u009b';

  it('end the conversation when a line is a megabyte', () => {
    const parser = new SmtpReplyParser(() => undefined);
    expect(() => parser.push(Buffer.from(`550 ${'x'.repeat(1_048_576)}\r\n`))).toThrow(MalformedReplyError);
  });

  it('are read in little time, however long the text is', () => {
    const began = performance.now();
    for (const text of [
      'user '.repeat(200),
      'mailbox full '.repeat(80),
      `${'a'.repeat(990)} user`,
      'account  '.repeat(110),
    ]) {
      classifyReply({ code: 550, enhanced: null, text, server: null, aboutRecipient: true }, 'refused');
    }
    expect(performance.now() - began).toBeLessThan(200);
  });

  it('are read quickly when a report is a megabyte', () => {
    const began = performance.now();
    for (const piece of ['x', ' ', '5.1.1 ', '550-5.1.1 ', '550 ', 'user ', '<@', 'a@', '@', '\n', CONTROLS]) {
      const text = piece.repeat(Math.ceil(1_048_576 / piece.length));
      classifyReply({ code: 550, enhanced: null, text, server: null, aboutRecipient: true }, 'refused');
      classifyDiagnostic({ status: text, diagnostic: text, action: 'failed' });
      classifyDiagnostic({ status: null, diagnostic: `smtp; 550 ${text}`, action: 'failed' });
    }
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it('slow no pattern down, however they repeat what it looks for', () => {
    const pieces = REPLY_PATTERNS.flatMap(([pattern]) => pattern.source.match(/[a-z]{2,}/g) ?? []);
    const words = [
      ...new Set(pieces),
      'user ',
      'mailbox a ',
      'recipient  ',
      'account is ',
      'smtp ',
      'domain x ',
      ' ',
      'a',
      '- ',
    ];
    let slowest = 0;
    for (const word of words) {
      for (const text of [word.repeat(1_000).slice(0, 1_000), `${word} `.repeat(1_000).slice(0, 1_000)]) {
        const began = performance.now();
        for (const [pattern] of REPLY_PATTERNS) pattern.test(text);
        slowest = Math.max(slowest, performance.now() - began);
      }
    }
    // A pattern that backtracks over a thousand characters needs seconds.
    expect(slowest).toBeLessThan(500);
  });

  it('mean the same with control characters and invalid UTF-8 in their text', () => {
    expect(classify(`550 User${CONTROLS.replaceAll(/[\r\n]/g, '')}unknown`)).toBe('hard');
    expect(classifyDiagnostic({ status: null, diagnostic: `smtp; 550 User${HIDING}unknown`, action: 'failed' })).toBe(
      'hard',
    );
    const replies: Classification[] = [];
    const parser = new SmtpReplyParser((code, text) =>
      replies.push(classifyReply(toServerReply(code, text, 'mx.test', true), 'refused')),
    );
    parser.push(
      Buffer.concat([
        Buffer.from('550 5.1.1 \xff\xfe ', 'latin1'),
        Buffer.from([0xc3, 0x28, 0xf0]),
        Buffer.from('\r\n'),
      ]),
    );
    parser.push(Buffer.from(`550 User${HIDING}unknown\r\n`));
    parser.push(Buffer.from('550 Пользователь не найден: user unknown\r\n'));
    parser.push(Buffer.from('550 Пользователь не найден\r\n'));
    parser.push(Buffer.from('550 Неясно\r\n'));
    expect(replies).toEqual(['hard', 'hard', 'hard', 'hard', 'unknown']);
  });
});
