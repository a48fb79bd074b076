import { ROLES, scopesOfRole } from '@postrider/core';
import { type NoticeReader, readNoticedAccount, readNoticeReaders } from '../db/queries/noticed-facts.ts';
import { type DueNotice, dropNotices, settleNotices, takeDueNotices } from '../db/queries/notices.ts';
import { mailUser, type UserMailer } from '../support/installation-mail.ts';
import { NOTICE_KINDS, type NoticeText } from './notice-kinds.ts';

/** If a process ends while it sends mail, or a mail is refused, the rest is sent after this time. */
const LEASE_MS = 15 * 60_000;

/** Less than idempotency keys are kept, so that a repeated attempt mails no one twice. */
const TRIED_FOR_MS = 20 * 3_600_000;

/**
 * Mails due notices to the members whose role includes what a notice asks for. Any number of processes may call this at once. A notice that
 * cannot be mailed does not block others, is tried again for hours, and makes this reject in the end.
 */
export async function mailNotices(mailer: UserMailer): Promise<void> {
  const now = mailer.clock.now();
  const taken = await takeDueNotices(mailer.sql, now, new Date(now.getTime() + LEASE_MS));
  const failures: unknown[] = [];
  for (const notices of Map.groupBy(taken, ({ accountId, mailId }) => `${accountId} ${mailId}`).values()) {
    await mailOne(mailer, notices, now).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function mailOne(mailer: UserMailer, notices: readonly DueNotice[], now: Date): Promise<void> {
  const { sql, baseUrl } = mailer;
  const [first] = notices;
  const accountName = first === undefined ? null : await readNoticedAccount(sql, first.accountId);
  if (first === undefined || accountName === null) return;
  const { accountId, mailId, kind, triedAt } = first;
  const { scope, write } = NOTICE_KINDS[kind];
  const text = await write(notices, { sql, accountId, accountName, baseUrl, now });
  const stale = notices.filter(({ targetId }) => targetId !== null && text?.about.has(targetId) !== true);
  await dropNotices(
    sql,
    accountId,
    stale.map(({ id }) => id),
  );
  if (text === null) return;
  const readers = await readNoticeReaders(sql, accountId, rolesWith(scope));
  const failures = await mailReaders(mailer, readers, mailId, text);
  const isOver = failures.length === 0 || now.getTime() - triedAt.getTime() >= TRIED_FOR_MS;
  const ids = notices.map(({ id }) => id);
  if (isOver) await settleNotices(sql, accountId, ids, now);
  if (failures.length > 0) throw failures[0];
}

/** Mails each member once, however often this is tried. Returns why members could not be mailed. */
async function mailReaders(
  mailer: UserMailer,
  readers: readonly NoticeReader[],
  mailId: string,
  { mail, tag }: NoticeText,
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const { memberId, email } of readers) {
    const once = `notice ${mailId} ${memberId}`;
    await mailUser(mailer, { to: email, mail, tags: [tag], once }).catch((error: unknown) => failures.push(error));
  }
  return failures;
}

function rolesWith(scope: (typeof NOTICE_KINDS)[DueNotice['kind']]['scope']) {
  return ROLES.filter((role) => scopesOfRole(role).includes(scope));
}
