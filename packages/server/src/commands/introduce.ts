import { type PreparedAccount, prepareFirstAccount, type Quickstart, writeQuickstart } from '../accounts/quickstart.ts';
import type { App } from '../app.ts';
import { createConsoleLink } from '../auth/console-link.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { findKeyByHash } from '../db/queries/api-keys.ts';
import { hashApiKey } from '../keys/api-key.ts';
import { createIdGenerator } from '../uuid-v7.ts';
import { sendFirstMessage } from './first-message.ts';
import type { OpenDatabase } from './prepared-database.ts';

/** What development mode adds: the account, the link that opens the console, the key on screen and in quickstart.json, and the first message. */
export async function introduce(
  app: App,
  config: Config,
  baseUrl: string,
  database: OpenDatabase,
  say: (text: string) => void,
): Promise<void> {
  const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
  const account = await prepareFirstAccount(tools, config.dataDir, config.sandboxDomain);
  const quickstart = toQuickstart(account, config, baseUrl, app.smtp);
  const path = writeQuickstart(config.dataDir, quickstart);
  if (account.isNew && app.engine !== null) await printFirstMessage(app, account, config, database, say);
  const token = await createConsoleLink(tools, account.ownerEmail);
  say('');
  say(`  open the console (once): ${baseUrl}/console/open/${token}`);
  say('');
  say(`  base URL  ${quickstart.baseUrl}   (reference: ${quickstart.baseUrl}/reference)`);
  say(`  API key   ${quickstart.key}`);
  say(`  console   ${quickstart.consoleUrl}`);
  say(`  MCP       ${quickstart.mcpUrl}`);
  say(`  settings  ${path}`);
  say('');
  say('  Try it:');
  say(
    `  curl -sS ${baseUrl}/emails -H 'Authorization: Bearer ${quickstart.key}' -H 'Content-Type: application/json' \\`,
  );
  say(
    `    -d '{"from":"Ada <ada@${config.sandboxDomain}>","to":"delivered@${config.sandboxDomain}","subject":"Hello","text":"Hi!"}'`,
  );
  say('');
}

async function printFirstMessage(
  app: App,
  account: PreparedAccount,
  config: Config,
  database: OpenDatabase,
  say: (text: string) => void,
): Promise<void> {
  const caller = await findKeyByHash(database.sql, hashApiKey(account.key));
  if (caller === null) return;
  const first = await sendFirstMessage(app, account, caller.keyId, config.sandboxDomain);
  say(`  sent itself a first message: ${first.id} is ${first.status}`);
}

function toQuickstart(account: PreparedAccount, config: Config, baseUrl: string, smtp: App['smtp']): Quickstart {
  return {
    baseUrl,
    key: account.key,
    accountId: account.accountId,
    accountName: account.accountName,
    ownerEmail: account.ownerEmail,
    consoleUrl: `${baseUrl}/console`,
    smtp: { host: config.host, port: smtp?.port ?? null, tlsPort: smtp?.tlsPort ?? null },
    mcpUrl: `${baseUrl}/mcp`,
  };
}
