import {
  agentNameSchema,
  expandScopes,
  LIMITS,
  newAttachmentHostsSchema,
  parseMailbox,
  SOURCES,
  type Source,
  sourceSchema,
} from '@postrider/core';
import type { Command } from 'commander';
import { createAccount } from '../accounts/create-account.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { type AccountRow, readAccounts, resumeAccount, setHoldHours, suspendAccount } from '../db/queries/accounts.ts';
import { makeOperatorKey } from '../keys/manage-keys.ts';
import { normalizeAllowlist } from '../sending/allowlist.ts';
import { createIdGenerator, isUuid } from '../uuid-v7.ts';
import { migrateDatabase, type OpenDatabase, openOperatorDatabase } from './prepared-database.ts';
import { StartError, UsageError } from './start-error.ts';

export interface OperatorTools {
  readonly readConfig: () => Config;
  readonly write: (text: string) => void;
  readonly progress: (text: string) => void;
}

/** The operator's commands: they work with or without a running server, and print JSON with `--json`. */
export function addOperatorCommands(program: Command, tools: OperatorTools): void {
  addAccountCommands(program, tools);
  addKeyCommands(program, tools);
  program
    .command('migrate')
    .description('bring the database schema up to date, and exit')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      await migrateDatabase(tools.readConfig(), { onProgress: tools.progress });
      response(tools, options, { migrated: true }, 'The schema is up to date.');
    });
}

function addAccountCommands(program: Command, tools: OperatorTools): void {
  const accounts = program.command('accounts').description('create, list, suspend and resume accounts');
  accounts
    .command('create')
    .description('create an account with an owner and a first key; the key is shown only once')
    .requiredOption('--name <name>', 'name of the account, 1 to 100 characters')
    .requiredOption('--owner <email>', 'email address of its owner')
    .option('--json', 'print JSON')
    .action(async (options: { name: string; owner: string; json?: boolean }) => {
      const owner = parseMailbox(options.owner);
      if (!owner.ok)
        throw new UsageError(`--owner ${owner.message}.`, 'Give one email address, such as ada@example.com.');
      if (options.name.length < 1 || options.name.length > 100) {
        throw new UsageError('--name is too long or empty.', 'Give a name of 1 to 100 characters.');
      }
      const request = { name: options.name, ownerEmail: owner.mailbox.address };
      const created = await withDatabase(tools, ({ sql }) =>
        createAccount({ sql, clock: systemClock, ids: createIdGenerator() }, request),
      );
      response(tools, options, created, `account ${created.accountId}\nkey     ${created.key}   (shown once)`);
    });
  accounts
    .command('list')
    .description('list all accounts')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const rows = await withDatabase(tools, ({ sql }) => readAccounts(sql, null));
      response(
        tools,
        options,
        { accounts: rows.map(toAccount) },
        rows.map(toLine).join('\n') || 'There are no accounts.',
      );
    });
  addSuspension(accounts, tools, 'suspend', 'reject all sends of an account; reading still works');
  addSuspension(accounts, tools, 'resume', 'let a suspended account send again');
  addHoldHours(accounts, tools);
}

function addHoldHours(accounts: Command, tools: OperatorTools): void {
  accounts
    .command('hold-hours <accountId> <hours>')
    .description(
      `set after how many hours an undecided hold expires, 1 to ${LIMITS.approvalHoursMax}; existing holds keep their expiry`,
    )
    .option('--json', 'print JSON')
    .action(async (accountId: string, given: string, options: { json?: boolean }) => {
      const hours = /^\d{1,4}$/.test(given) ? Number(given) : 0;
      if (hours < 1 || hours > LIMITS.approvalHoursMax) {
        throw new UsageError(
          `${given} is not a valid number of hours.`,
          `Give a whole number, 1 to ${LIMITS.approvalHoursMax}.`,
        );
      }
      const isSet = await withDatabase(
        tools,
        async ({ sql }) => isUuid(accountId) && (await setHoldHours(sql, accountId, hours)),
      );
      if (!isSet) throw unknownAccount(accountId);
      response(tools, options, { accountId, holdHours: hours }, `holds of ${accountId} expire after ${hours} hours`);
    });
}

function addSuspension(accounts: Command, tools: OperatorTools, verb: 'suspend' | 'resume', description: string): void {
  accounts
    .command(`${verb} <accountId>`)
    .description(description)
    .option('--json', 'print JSON')
    .action(async (accountId: string, options: { json?: boolean }) => {
      const change = verb === 'suspend' ? suspendAccount : resumeAccount;
      const account = await withDatabase(tools, async ({ sql }) => {
        const found = isUuid(accountId) && (await change(sql, accountId, systemClock.now()));
        return found ? (await readAccounts(sql, accountId))[0] : undefined;
      });
      if (account === undefined) throw unknownAccount(accountId);
      response(tools, options, toAccount(account), toLine(account));
    });
}

function addKeyCommands(program: Command, tools: OperatorTools): void {
  const keys = program.command('keys').description('create API keys');
  keys
    .command('create')
    .description('create a key for an account; the key is shown only once')
    .requiredOption('--account <accountId>', 'id of the account')
    .option('--name <name>', 'name of the key', 'Operator key')
    .option('--scope <scope...>', 'scopes, or the shorthands sending and full', ['full'])
    .option('--allow-recipient <entry...>', 'recipient allowlist: a@b.c, @b.c or *.b.c (default: everyone)')
    .option(
      '--attachment-host <host...>',
      'hosts that attachment URLs may be fetched from: files.example.com or *.example.com (default: every host)',
    )
    .option('--rate-limit <requests>', 'requests a minute', String(LIMITS.keyRatePerMinuteDefault))
    .option('--agent-name <name>', 'agent name for sends that do not set one')
    .option('--source <source>', `source for sends that do not set one: ${SOURCES.join(', ')}`)
    .option('--json', 'print JSON')
    .action(async (options: KeyOptions) => {
      assertKeyOptions(options);
      const key = await withDatabase(tools, (database) => makeKey(database, options));
      response(tools, options, { keyId: key.id, key: key.secret }, `key     ${key.secret}   (shown once)`);
    });
}

interface KeyOptions {
  readonly account: string;
  readonly name: string;
  readonly scope: string[];
  readonly allowRecipient?: string[];
  readonly attachmentHost?: string[];
  readonly rateLimit: string;
  readonly agentName?: string;
  readonly source?: string;
  readonly json?: boolean;
}

function assertKeyOptions(options: KeyOptions): void {
  const { scope, allowRecipient, attachmentHost = [], name, rateLimit, agentName, source } = options;
  const { unknown } = expandScopes(scope);
  if (unknown.length > 0) {
    throw new UsageError(
      `Unknown scope: ${unknown.join(', ')}.`,
      'Use scopes such as emails:send, or sending or full.',
    );
  }
  const { unknown: invalid } = normalizeAllowlist(allowRecipient ?? []);
  if (invalid.length > 0) {
    throw new UsageError(
      `Invalid allowlist entry: ${invalid.join(', ')}.`,
      'Use ada@example.com, @example.com or *.example.com.',
    );
  }
  if (!newAttachmentHostsSchema.safeParse(attachmentHost).success) {
    throw new UsageError(
      '--attachment-host contains a value that is not a host.',
      `Use files.example.com or *.example.com, at most ${LIMITS.keyAttachmentHosts} hosts.`,
    );
  }
  if (name.length < 1 || name.length > LIMITS.keyNameCharacters) {
    throw new UsageError('--name is too long or empty.', `Give a name of 1 to ${LIMITS.keyNameCharacters} characters.`);
  }
  if (!/^\d{1,7}$/.test(rateLimit) || Number(rateLimit) < 1 || Number(rateLimit) > LIMITS.keyRatePerMinuteMax) {
    throw new UsageError(
      '--rate-limit is not a valid rate.',
      `Give 1 to ${LIMITS.keyRatePerMinuteMax} requests a minute.`,
    );
  }
  if (agentName !== undefined && !agentNameSchema.safeParse(agentName).success) {
    throw new UsageError(
      '--agent-name is not a valid agent name.',
      `Give 1 to ${LIMITS.agentNameCharacters} characters without line breaks or control characters.`,
    );
  }
  if (source !== undefined && !sourceSchema.safeParse(source).success) {
    throw new UsageError(`Unknown source: ${source}.`, `Use one of ${SOURCES.join(', ')}.`);
  }
}

async function makeKey(
  { sql }: OpenDatabase,
  options: KeyOptions,
): Promise<{ readonly id: string; readonly secret: string }> {
  const [account] = isUuid(options.account) ? await readAccounts(sql, options.account) : [];
  if (account === undefined) throw unknownAccount(options.account);
  return await makeOperatorKey(
    { sql, clock: systemClock, ids: createIdGenerator() },
    {
      accountId: account.id,
      name: options.name,
      mode: 'live',
      scopes: options.scope,
      recipientAllowlist: options.allowRecipient ?? null,
      attachmentHosts:
        options.attachmentHost === undefined ? null : newAttachmentHostsSchema.parse(options.attachmentHost),
      rateLimit: Number(options.rateLimit),
      persona: { source: (options.source ?? null) as Source | null, agentName: options.agentName ?? null }, // Checked above.
    },
  );
}

/** Opens the database for one command. */
export async function withDatabase<T>(tools: OperatorTools, work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const database = await openOperatorDatabase(tools.readConfig(), { onProgress: tools.progress });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Writes the result of a command: JSON if requested, else text. */
export function response(
  tools: OperatorTools,
  { json }: { readonly json?: boolean },
  data: unknown,
  text: string,
): void {
  tools.write(json === true ? `${JSON.stringify(data)}\n` : `${text}\n`);
}

function toAccount(row: AccountRow) {
  const { id, name, plan, ownerEmail, suspendedAt, createdAt } = row;
  const status = suspendedAt === null ? 'active' : 'suspended';
  return {
    accountId: id,
    name,
    plan,
    ownerEmail,
    status,
    suspendedAt: suspendedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

function toLine(row: AccountRow): string {
  return `${row.id}  ${row.suspendedAt === null ? 'active   ' : 'suspended'}  ${row.ownerEmail ?? '-'}  ${row.name}`;
}

function unknownAccount(id: string): StartError {
  return new StartError(`There is no account ${id}.`, 'List the accounts with `postrider-server accounts list`.');
}
