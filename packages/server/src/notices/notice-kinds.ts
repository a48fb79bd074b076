import { LIMITS, type Scope } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import { readNoticedDomains, readNoticedEndpoints, readNoticedKeys } from '../db/queries/noticed-facts.ts';
import type { DueNotice, NoticeKind } from '../db/queries/notices.ts';
import type { WrittenMail } from '../installation-mail/written-mail.ts';
import { writeDegradedDomains, writeFailedDomains } from './domain-notice.ts';
import { writeExpiringKeys } from './key-notice.ts';
import type { NoticeContext } from './notice-parts.ts';
import { writeQuota } from './quota-notice.ts';
import { writeDisabledEndpoints } from './webhook-notice.ts';

/** The text of a mail, and the ids of what it is about. */
export interface NoticeText {
  readonly mail: WrittenMail;
  readonly tag: string;
  readonly about: ReadonlySet<string>;
}

interface NoticeSource extends NoticeContext {
  readonly sql: Sql;
  readonly accountId: string;
}

interface Kind {
  /** Members whose role includes this scope get the mail: it permits what the mail asks for. */
  readonly scope: Scope;
  /** Null if none of the notices is still true. */
  readonly write: (notices: readonly DueNotice[], source: NoticeSource) => Promise<NoticeText | null>;
}

const DAY_MS = 86_400_000;

/** Each kind reads the current state when it writes the mail, because the problem may have been solved since the event. */
export const NOTICE_KINDS: Readonly<Record<NoticeKind, Kind>> = {
  'domain.degraded': {
    scope: 'domains:write',
    write: async (notices, source) => {
      const domains = await readNoticedDomains(source.sql, source.accountId, targetsOf(notices), 'degraded');
      return textOf('domain', domains, (first) => writeDegradedDomains(first, domains, source));
    },
  },
  'domain.failed': {
    scope: 'domains:write',
    write: async (notices, source) => {
      const domains = await readNoticedDomains(source.sql, source.accountId, targetsOf(notices), 'failed');
      return textOf('domain', domains, (first) => writeFailedDomains(first, domains, source));
    },
  },
  'key.expiring': {
    scope: 'keys:write',
    write: async (notices, source) => {
      const { sql, accountId, now } = source;
      const before = new Date(now.getTime() + LIMITS.keyExpiringDays * DAY_MS);
      const keys = await readNoticedKeys(sql, accountId, targetsOf(notices), { now, before });
      return textOf('key', keys, (first) => writeExpiringKeys(first, keys, source));
    },
  },
  'quota.threshold': {
    scope: 'account:write',
    write: async (notices, source) => {
      const facts = notices.flatMap(({ facts }) => facts ?? []);
      const highest = facts.toSorted((a, b) => b.threshold - a.threshold)[0];
      return highest === undefined ? null : { mail: writeQuota(highest, source), tag: 'quota', about: new Set() };
    },
  },
  'webhook.disabled': {
    scope: 'webhooks:write',
    write: async (notices, source) => {
      const endpoints = await readNoticedEndpoints(source.sql, source.accountId, targetsOf(notices));
      return textOf('webhook', endpoints, (first) => writeDisabledEndpoints(first, endpoints, source));
    },
  },
};

function targetsOf(notices: readonly DueNotice[]): readonly string[] {
  return notices.flatMap(({ targetId }) => targetId ?? []);
}

function textOf<Thing extends { readonly id: string }>(
  tag: string,
  things: readonly Thing[],
  write: (first: Thing) => WrittenMail,
): NoticeText | null {
  const [first] = things;
  return first === undefined ? null : { mail: write(first), tag, about: new Set(things.map(({ id }) => id)) };
}
