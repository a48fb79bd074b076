import { LIMITS } from '@postrider/core';
import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, type SQL, sql } from '../drizzle.ts';
import { recordColumns, unnested } from '../record-columns.ts';
import { executing, narrowed, nullable, pg, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { approvalLinks, approvalMails, approvals } from '../schema/approvals.ts';
import { apiKeys } from '../schema/keys.ts';
import { type messageAttachments, messageBodies, type messageRecipients, messages } from '../schema/messages.ts';
import { members } from '../schema/users.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { DECIDES, joinKeys, rulesOf, votesOf } from './deciding-members.ts';

/** Maximum number of holds per statement. */
const HOLDS_AT_ONCE = 200;

/** The start of a message's text that the statements return: more than a mail quotes. */
const NOTICED_TEXT_CHARACTERS = 2_000;

const WHO_APPROVES = {
  /** The members who can approve it; null for every member whose role decides. */
  approverIds: nullable(apiKeys.approverIds),
  /** The members who have approved this revision, where more than one must. */
  voterIds: narrowed<readonly string[]>(pg.jsonb),
  /** How many people must approve it. */
  approvalsNeeded: pg.int4,
};

const RULES = rulesOf(sql`a`);
const SELECTED_RULES = sql`${RULES.memberIds} AS "approverIds",
    ${votesOf(sql`c`, sql`a`, sql`coalesce(jsonb_agg(v.member_id ORDER BY v.member_id), '[]')`)} AS "voterIds",
    ${RULES.count} AS "approvalsNeeded"`;

const NOTICED = {
  accountId: approvals.accountId,
  id: approvals.id,
  revision: approvals.revision,
  contentHash: approvals.contentHash,
  accountName: accounts.name,
  keyName: nullable(apiKeys.name),
  agentName: messages.agentName,
  from: messages.fromGiven,
  replyTo: messages.replyTo,
  subject: messages.subject,
  scheduledAt: messages.scheduledAt,
  reasons: approvals.reasons,
  createdAt: approvals.createdAt,
  expiresAt: approvals.expiresAt,
  recipients: narrowed<readonly Pick<typeof messageRecipients.$inferSelect, 'kind' | 'name' | 'email'>[]>(pg.json),
  files: narrowed<readonly Pick<typeof messageAttachments.$inferSelect, 'filename' | 'size'>[]>(pg.json),
  /** Its first NOTICED_TEXT_CHARACTERS. */
  text: nullable(messageBodies.text),
  hasHtml: pg.bool,
  ...WHO_APPROVES,
};

/** Selects from the CTE `claimed`. */
const SELECTED = sql`
  SELECT c.account_id AS "accountId", c.id, c.revision, c.content_hash AS "contentHash", a.name AS "accountName", k.name AS "keyName",
    m.agent_name AS "agentName", m.from_given AS "from", m.reply_to AS "replyTo", m.subject, m.scheduled_at AS "scheduledAt", c.reasons,
    c.created_at AS "createdAt", c.expires_at AS "expiresAt", left(b.text, ${NOTICED_TEXT_CHARACTERS}) AS text, b.html IS NOT NULL AS "hasHtml",
    ${SELECTED_RULES},
    (SELECT coalesce(json_agg(json_build_object('kind', r.kind, 'name', r.name, 'email', r.email) ORDER BY r.ordinal), '[]')
      FROM message_recipients r WHERE r.account_id = c.account_id AND r.message_id = c.message_id) AS recipients,
    (SELECT coalesce(json_agg(json_build_object('filename', f.filename, 'size', f.size) ORDER BY f.ordinal), '[]')
      FROM message_attachments f WHERE f.account_id = c.account_id AND f.message_id = c.message_id) AS files
  FROM claimed c JOIN accounts a ON a.id = c.account_id JOIN messages m ON m.account_id = c.account_id AND m.id = c.message_id
  LEFT JOIN message_bodies b ON b.account_id = c.account_id AND b.message_id = c.message_id
  ${joinKeys(sql`c`)}
  ORDER BY c.account_id, c.id`;

function isMailedOut(horizon: SQL) {
  return sql`EXISTS (SELECT FROM approval_mails w WHERE w.account_id = approvals.account_id
    AND (SELECT count(*) FROM unnest(w.mailed_at) AS t WHERE t > ${horizon}) >= ${LIMITS.approvalMails})`;
}

/** Mails sent before this time do not count toward the limit. */
function mailHorizon(now: Date): Date {
  return new Date(now.getTime() - LIMITS.approvalMailMinutes * 60_000);
}

const DUE = { now: value<Date>(), horizon: value<Date>() };

const claim = defineStatement(DUE, ({ now, horizon }) =>
  returning(
    NOTICED,
    sql`
      WITH claimed AS (
        UPDATE approvals SET told_at = ${now} WHERE (account_id, id) IN (
          SELECT account_id, id FROM approvals WHERE status = 'pending' AND told_at IS NULL AND expires_at > ${now}
            AND NOT ${isMailedOut(horizon)}
          ORDER BY created_at LIMIT ${HOLDS_AT_ONCE} FOR UPDATE SKIP LOCKED)
        RETURNING *
      )
      ${SELECTED}`,
  ),
);

/** A hold that its approvers are notified about. */
export type NoticedHold = RowOf<typeof claim>;

/**
 * Claims undecided holds whose approvers have not been notified, and marks them as notified. Skips accounts that have reached their mail
 * limit.
 */
export async function claimUnnotified(transaction: Query, now: Date): Promise<readonly NoticedHold[]> {
  return await claim(transaction, { now, horizon: mailHorizon(now) });
}

const NAME = { accountId: approvals.accountId, id: approvals.id };

const release = defineStatement({ holds: value<string>() }, ({ holds }) =>
  executing(sql`
    UPDATE approvals p SET told_at = NULL FROM json_to_recordset(${holds}::text::json) AS r (${sql.raw(recordColumns(NAME))})
    WHERE p.account_id = r."accountId" AND p.id = r.id`),
);

/** Releases claimed holds, so that their approvers are notified later. */
export async function unclaim(transaction: Query, holds: readonly NoticedHold[]): Promise<void> {
  await release(transaction, { holds: JSON.stringify(holds.map(({ accountId, id }) => ({ accountId, id }))) });
}

const claimRest = defineStatement(
  { accountIds: value<readonly string[]>(), now: value<Date>() },
  ({ accountIds, now }) =>
    returning(
      { accountId: approvals.accountId, ...WHO_APPROVES, count: pg.int4 },
      sql`
        WITH claimed AS (
          UPDATE approvals SET told_at = ${now} WHERE (account_id, id) IN (
            SELECT account_id, id FROM approvals
            WHERE account_id = ANY (${accountIds}::uuid[]) AND status = 'pending' AND told_at IS NULL AND expires_at > ${now}
            FOR UPDATE SKIP LOCKED)
          RETURNING *
        )
        SELECT c.account_id AS "accountId", ${SELECTED_RULES}, count(*)::int AS count
        FROM claimed c JOIN accounts a ON a.id = c.account_id JOIN messages m ON m.account_id = c.account_id AND m.id = c.message_id
        ${joinKeys(sql`c`)}
        GROUP BY 1, 2, 3, 4`,
    ),
);

/** Holds of an account that the same members approve. */
export type CountedHolds = RowOf<typeof claimRest>;

/** Claims and counts the remaining unnotified holds of these accounts: one mail covers all of an account's holds. */
export async function claimOthers(
  transaction: Query,
  accountIds: readonly string[],
  now: Date,
): Promise<readonly CountedHolds[]> {
  return await claimRest(transaction, { accountIds, now });
}

const takeMails = defineStatement({ ...DUE, accountIds: value<readonly string[]>() }, ({ accountIds, now, horizon }) =>
  returning(
    { accountId: approvalMails.accountId },
    sql`
        INSERT INTO approval_mails AS w (account_id, mailed_at)
        SELECT a, ARRAY[${now}::timestamptz] FROM ${unnested({ a: approvalMails.accountId }, { a: accountIds })} AS a ORDER BY a
        ON CONFLICT (account_id) DO UPDATE
        SET mailed_at = array(SELECT t FROM unnest(w.mailed_at) AS t WHERE t > ${horizon}) || excluded.mailed_at
        WHERE (SELECT count(*) FROM unnest(w.mailed_at) AS t WHERE t > ${horizon}) < ${LIMITS.approvalMails}
        RETURNING account_id AS "accountId"`,
  ),
);

/**
 * Counts one more approval mail for each account.
 * @returns the accounts that were below their limit. Of two concurrent calls for the last mail, only one gets it.
 */
export async function takeApprovalMails(
  transaction: Query,
  accountIds: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await takeMails(transaction, { accountIds, now, horizon: mailHorizon(now) });
  return new Set(rows.map(({ accountId }) => accountId));
}

const lockDue = defineStatement(DUE, ({ now, horizon }) =>
  returning(
    NOTICED,
    sql`
      WITH claimed AS MATERIALIZED (
        SELECT * FROM approvals
        WHERE status = 'pending' AND least(expires_at, remind_at) <= ${now} AND remind_at <= ${now} AND expires_at > ${now}
          AND NOT ${isMailedOut(horizon)}
        ORDER BY remind_at LIMIT ${HOLDS_AT_ONCE} FOR UPDATE SKIP LOCKED
      )
      ${SELECTED}`,
  ),
);

/**
 * Locks undecided holds whose reminder is due. Skips holds that another transaction has locked and accounts that have reached their mail
 * limit; the next run, a minute later, finds them.
 */
export async function lockDueReminders(transaction: Query, now: Date): Promise<readonly NoticedHold[]> {
  return await lockDue(transaction, { now, horizon: mailHorizon(now) });
}

const REMINDER = { ...NAME, at: approvals.remindAt };

const setRemindAt = defineStatement({ reminders: value<string>() }, ({ reminders }) =>
  executing(sql`
    UPDATE approvals p SET remind_at = r.at FROM json_to_recordset(${reminders}::text::json) AS r (${sql.raw(recordColumns(REMINDER))})
    WHERE p.account_id = r."accountId" AND p.id = r.id`),
);

/** Sets when the approvers are reminded next; null means never. */
export async function setReminders(
  transaction: Query,
  reminders: readonly { readonly accountId: string; readonly id: string; readonly at: Date | null }[],
): Promise<void> {
  const rows = reminders.map(({ accountId, id, at }) => ({ accountId, id, at }));
  await setRemindAt(transaction, { reminders: JSON.stringify(rows) });
}

const listApprovers = defineStatement({ accountId: members.accountId }, ({ accountId }) =>
  builder
    .select(named({ memberId: members.id, email: members.email }))
    .from(members)
    .where(and(eq(members.accountId, accountId), DECIDES))
    .orderBy(members.id),
);

export type Approver = RowOf<typeof listApprovers>;

/** The members of an account who may decide holds. */
export async function readApprovers(query: Query, accountId: string): Promise<readonly Approver[]> {
  return await listApprovers(query, { accountId });
}

type Link = typeof approvalLinks.$inferSelect;

export interface NewApprovalLink extends Pick<Link, 'accountId' | 'approvalId' | 'revision' | 'memberId'> {
  readonly tokenHash: Uint8Array;
}

const LINK = {
  accountId: approvalLinks.accountId,
  approvalId: approvalLinks.approvalId,
  revision: approvalLinks.revision,
  memberId: approvalLinks.memberId,
};

const insertLinks = defineStatement({ links: value<string>(), now: value<Date>() }, ({ links, now }) =>
  executing(sql`
    INSERT INTO approval_links (account_id, token_hash, approval_id, revision, member_id, created_at)
    SELECT "accountId", decode(hash, 'hex'), "approvalId", revision, "memberId", ${now}
    FROM json_to_recordset(${links}::text::json) AS j (${sql.raw(recordColumns({ ...LINK, hash: pg.text }))})
    ON CONFLICT DO NOTHING`),
);

/** Leaves existing links unchanged. A hash is unique by two indexes, and either may notice one that is written at the same time. */
export async function insertApprovalLinks(
  transaction: Query,
  links: readonly NewApprovalLink[],
  now: Date,
): Promise<void> {
  const rows = links.map(({ tokenHash, ...link }) => ({ ...link, hash: Buffer.from(tokenHash).toString('hex') }));
  await insertLinks(transaction, { links: JSON.stringify(rows), now });
}

const TOKEN = { tokenHash: value<Uint8Array>() };

const findLink = defineStatement(TOKEN, ({ tokenHash }) =>
  returning(
    {
      ...LINK,
      usedAt: approvalLinks.usedAt,
      /** Whether the member may still decide holds of the account. */
      isApprover: pg.bool,
      /** The user of the member; null until they have joined. */
      userId: nullable(members.userId),
    },
    sql`
      SELECT l.account_id AS "accountId", l.approval_id AS "approvalId", l.revision, l.member_id AS "memberId", l.used_at AS "usedAt",
        EXISTS (SELECT FROM members WHERE members.account_id = l.account_id AND members.id = l.member_id AND ${DECIDES}) AS "isApprover",
        (SELECT m.user_id FROM members m WHERE m.account_id = l.account_id AND m.id = l.member_id) AS "userId"
      FROM approval_links l WHERE l.token_hash = ${tokenHash}`,
  ),
);

/** The hold and the member that a link was created for. */
export type ApprovalLink = RowOf<typeof findLink>;

/** Finds the link of a token; null if there is none. */
export async function findApprovalLink(query: Query, tokenHash: Uint8Array): Promise<ApprovalLink | null> {
  const [row] = await findLink(query, { tokenHash });
  return row ?? null;
}

const lockOne = defineStatement(TOKEN, ({ tokenHash }) =>
  builder
    .select(named({ memberId: approvalLinks.memberId }))
    .from(approvalLinks)
    .where(eq(approvalLinks.tokenHash, sql`${tokenHash}`))
    .for('share'),
);

/** Keeps a link until the end of the transaction; returns false if it no longer exists because its member lost the approver role. */
export async function lockLink(transaction: Query, tokenHash: Uint8Array): Promise<boolean> {
  return (await lockOne(transaction, { tokenHash })).length > 0;
}

const markUsed = defineStatement({ ...TOKEN, now: value<Date>() }, ({ tokenHash, now }) =>
  executing(sql`UPDATE approval_links SET used_at = ${now} WHERE token_hash = ${tokenHash} AND used_at IS NULL`),
);

/** Marks a link as used; returns false if it no longer exists because its member lost the approver role in the meantime. */
export async function markLinkUsed(transaction: Query, tokenHash: Uint8Array, now: Date): Promise<boolean> {
  return (await markUsed(transaction, { tokenHash, now })) > 0;
}
