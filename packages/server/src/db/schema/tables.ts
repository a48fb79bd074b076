import { is, PgTable } from '../drizzle.ts';
import * as accounts from './accounts.ts';
import * as approvals from './approvals.ts';
import * as audit from './audit.ts';
import * as deliveries from './deliveries.ts';
import * as domains from './domains.ts';
import * as installation from './installation.ts';
import * as keys from './keys.ts';
import * as mcpSessions from './mcp-sessions.ts';
import * as messages from './messages.ts';
import * as notices from './notices.ts';
import * as oauth from './oauth.ts';
import * as passkeys from './passkeys.ts';
import * as receipts from './receipts.ts';
import * as search from './search.ts';
import * as sessions from './sessions.ts';
import * as statistics from './statistics.ts';
import * as support from './support.ts';
import * as suppressions from './suppressions.ts';
import * as templates from './templates.ts';
import * as auth from './users.ts';
import * as webhooks from './webhooks.ts';

const FILES: readonly object[] = [
  ...[accounts, approvals, audit, deliveries, domains, installation, keys, mcpSessions, messages, auth, notices, oauth],
  ...[passkeys, receipts, search, sessions, statistics, support, suppressions, templates, webhooks],
];

/** Every declared table. test/db/schema-catalog.test.ts compares them with the migrated database, both ways. */
export const TABLES: readonly PgTable[] = FILES.flatMap((file) => Object.values(file)).filter((value) =>
  is(value, PgTable),
);
