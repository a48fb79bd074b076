import type { AccountTable, ConnectionFacts, WallFacts } from '../db/queries/account-wall.ts';

/** A wrong state, and what to change. */
export interface WallFault {
  readonly message: string;
  readonly fix: string;
}

/** Connections of one kind: the settings they request at the start, and the ones they have. */
export interface CheckedConnection {
  readonly kind: string;
  /** Work for one account. */
  readonly isBound: boolean;
  readonly statementTimeoutMs: number;
  readonly planCacheMode: string;
  readonly facts: ConnectionFacts;
}

const ACCOUNT_ROLE = 'postrider_app';
/** Written by COPY, which row-level security does not support, so its owner, who writes it, is exempt. */
const NOT_FORCED = 'request_log';
const OWN_ROWS = /^\((?:account_id|id) = (?:\w+\.)?current_account\(\)\)$/;
/** Users do not belong to an account. Members of the account are visible, by a separate policy. */
const OTHER_RULE = 'users';
const NAMED = 5;

/**
 * Faults that prevent a start: they would expose rows to other accounts, let statements run without a limit, or count
 * days in another time zone.
 */
export function judgeConnections(connections: readonly CheckedConnection[]): readonly WallFault[] {
  return [...connections.flatMap(judgeRole), ...judgeTimeouts(connections), ...judgeTimeZones(connections)];
}

function judgeRole({ kind, isBound, facts }: CheckedConnection): readonly WallFault[] {
  if (isBound === (facts.user === ACCOUNT_ROLE)) return [];
  return [
    isBound
      ? {
          message: `Account transactions (connections “${kind}”) run as ${facts.user} instead of ${ACCOUNT_ROLE}, so they would see the rows of all accounts.`,
          fix: 'Connect to PostgreSQL directly, or through a pooler that keeps a transaction on one connection (session or transaction mode).',
        }
      : {
          message: `Connections “${kind}” work for all accounts but run as ${ACCOUNT_ROLE}, which sees none.`,
          fix: `Use another user than ${ACCOUNT_ROLE} in DATABASE_URL, and reset a role that it starts with: ALTER ROLE ${facts.sessionUser} RESET role;`,
        },
  ];
}

function judgeTimeouts(connections: readonly CheckedConnection[]): readonly WallFault[] {
  const wrong = connections.filter(
    ({ statementTimeoutMs, facts }) => facts.statementTimeoutMs <= 0 || facts.statementTimeoutMs > statementTimeoutMs,
  );
  const [first] = wrong;
  if (first === undefined) return [];
  const limitMs = Math.min(...wrong.map(({ statementTimeoutMs }) => statementTimeoutMs));
  const is = first.facts.statementTimeoutMs === 0 ? 'not set' : `${first.facts.statementTimeoutMs} ms`;
  return [
    {
      message: `statement_timeout is ${is} on the connections ${kindsOf(wrong)}, and must be at most ${limitMs} ms: ${DROPPED}`,
      fix: alterRole(first, `statement_timeout = '${limitMs}ms'`),
    },
  ];
}

function judgeTimeZones(connections: readonly CheckedConnection[]): readonly WallFault[] {
  const wrong = connections.filter(({ facts }) => !/^(?:Etc\/)?UTC$/i.test(facts.timeZone));
  const [first] = wrong;
  if (first === undefined) return [];
  return [
    {
      message: `TimeZone is ${first.facts.timeZone} on the connections ${kindsOf(wrong)}, and must be UTC: ${DROPPED}`,
      fix: alterRole(first, "timezone = 'UTC'"),
    },
  ];
}

/** Settings that only make the server slow. */
export function judgePlanning(connections: readonly CheckedConnection[]): readonly WallFault[] {
  // With `auto`, a plan may be kept that was made while a table was empty. A plan made for each execution is never outdated.
  const other = connections.filter(
    ({ planCacheMode, facts }) => facts.planCacheMode !== planCacheMode && facts.planCacheMode !== 'force_custom_plan',
  );
  const [first] = other;
  if (first === undefined) return [];
  return [
    {
      message: `plan_cache_mode is ${first.facts.planCacheMode} on the connections ${kindsOf(other)}, which may make statements slow: ${DROPPED}`,
      fix: alterRole(first, 'plan_cache_mode = force_custom_plan'),
    },
  ];
}

const DROPPED =
  'a pooler has dropped the startup parameters of the connection, as PgBouncer does with ignore_startup_parameters.';

function kindsOf(connections: readonly CheckedConnection[]): string {
  return connections.map(({ kind }) => kind).join(', ');
}

function alterRole({ facts }: CheckedConnection, setting: string): string {
  return `As an administrator, set it for the user: ALTER ROLE ${facts.sessionUser} SET ${setting}; then make the pooler reconnect (PgBouncer: RECONNECT). Or connect to PostgreSQL directly.`;
}

/** Whether the database isolates accounts for the role that requests use. */
export function checkIsolation({
  isSuperuser,
  bypassesPolicies,
  isSystem,
  seesAccounts,
  tables,
}: WallFacts): readonly WallFault[] {
  const faults: WallFault[] = [];
  if (isSuperuser || bypassesPolicies) {
    faults.push({
      message: `The role ${ACCOUNT_ROLE} ${isSuperuser ? 'is a superuser' : 'has BYPASSRLS'}, so no policy applies to it.`,
      fix: `As an administrator: ALTER ROLE ${ACCOUNT_ROLE} NOSUPERUSER NOBYPASSRLS;`,
    });
  }
  if (isSystem && !isSuperuser) {
    faults.push({
      message: `The role ${ACCOUNT_ROLE} is a member of postrider_system, which sees the rows of all accounts.`,
      fix: `As an administrator: REVOKE postrider_system FROM ${ACCOUNT_ROLE}; (or from the role that is a member of it).`,
    });
  }
  const owned = tables.filter(({ isOwned }) => isOwned && !isSuperuser);
  if (owned.length > 0) {
    faults.push({
      message: `The role ${ACCOUNT_ROLE} owns ${listed(owned)}, or is a member of the role that does, and could remove the policies.`,
      fix: `As an administrator: ALTER TABLE … OWNER TO the user of DATABASE_URL, and REVOKE that user’s role FROM ${ACCOUNT_ROLE};`,
    });
  }
  const open = tables.filter((table) => !isProtected(table));
  if (tables.length === 0 || open.length > 0) {
    const missing =
      tables.length === 0 ? 'Account tables are missing' : `Row-level security is wrong on ${listed(open)}`;
    faults.push({
      message: `${missing}: it must be enabled and forced, with own_account as the only policy for ${ACCOUNT_ROLE}.`,
      fix:
        tables.length === 0
          ? 'Run `postrider-server migrate`.'
          : `As the owner, for each of them: SELECT protect_account_table('${open[0]?.name}'${open[0]?.name === 'accounts' ? ", 'id'" : ''}); and DROP POLICY for policies that are not Postrider’s.`,
    });
  }
  if (faults.length === 0 && seesAccounts) {
    faults.push({
      message: `The role ${ACCOUNT_ROLE} sees accounts other than the one its transaction sets.`,
      fix: 'Compare the schema with that of a new installation: a function or a policy was changed.',
    });
  }
  return faults;
}

function isProtected({
  name,
  isPartition,
  isEnabled,
  isForced,
  isActive,
  isReadable,
  policies,
}: AccountTable): boolean {
  // Partitions are only reached through their parent.
  if (isPartition && isReadable) return false;
  const isAsForced = isForced || name === NOT_FORCED;
  const [only] = policies;
  const isOwn = policies.length === 1 && only !== undefined && only.split(' / ').every((part) => OWN_ROWS.test(part));
  return isEnabled && isAsForced && isActive && (isOwn || (name === OTHER_RULE && policies.length === 1));
}

function listed(tables: readonly AccountTable[]): string {
  const names = tables.slice(0, NAMED).map(({ name }) => name);
  const more = tables.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
