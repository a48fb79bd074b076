import { bindAccount } from '../db/account-client.ts';
import type { DatabaseTarget } from '../db/client.ts';
import { type SampleConnection, withSampleConnections } from '../db/database-pools.ts';
import { readConnectionFacts, readWallFacts } from '../db/queries/account-wall.ts';
import { startParametersOf, statementTimeoutOf } from '../db/session-settings.ts';
import { type DoctorCheck, fail, pass, warn } from './doctor-check.ts';
import {
  type CheckedConnection,
  checkIsolation,
  judgeConnections,
  judgePlanning,
  type WallFault,
} from './judge-account-wall.ts';

/** No account has this id. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

export interface WallFindings {
  /** The faults that must prevent a server start. */
  readonly faults: readonly WallFault[];
  readonly warnings: readonly WallFault[];
}

/** Checks the isolation between accounts on the same kinds of connections that a server uses. Changes nothing. */
export async function examineAccountWall(target: DatabaseTarget): Promise<WallFindings> {
  return await withSampleConnections(target, async (samples) => {
    const connections = await Promise.all(samples.map(look));
    const bound = samples.find(({ isBound }) => isBound);
    // Faulty roles already explain the problem: with them, the other checks would run as another user.
    const faults = judgeConnections(connections);
    if (bound === undefined || connections.some(({ isBound, facts }) => isBound && facts.user === facts.sessionUser))
      return { faults, warnings: [] };
    const wall = checkIsolation(await bindAccount(bound.sql, NO_ACCOUNT).begin('read only', readWallFacts));
    return { faults: [...wall, ...faults], warnings: judgePlanning(connections) };
  });
}

async function look({ kind, isBound, asked, sql }: SampleConnection): Promise<CheckedConnection> {
  const facts = isBound
    ? await bindAccount(sql, NO_ACCOUNT).begin('read only', readConnectionFacts)
    : await readConnectionFacts(sql);
  const planCacheMode = String(startParametersOf(asked)['plan_cache_mode']);
  return { kind, isBound, statementTimeoutMs: statementTimeoutOf(asked), planCacheMode, facts };
}

/** Combines several faults into one: the message names each once, and the fixes are joined. */
export function joinFaults(faults: readonly WallFault[]): WallFault {
  const joined = (texts: readonly string[]) => [...new Set(texts)].join(' ');
  return { message: joined(faults.map(({ message }) => message)), fix: joined(faults.map(({ fix }) => fix)) };
}

/** The same check for the doctor. */
export async function checkAccountWall(target: DatabaseTarget): Promise<DoctorCheck> {
  const { faults, warnings } = await examineAccountWall(target);
  if (faults.length > 0) {
    const { message, fix } = joinFaults(faults);
    return fail('account-wall', message, fix);
  }
  if (warnings.length > 0) {
    const { message, fix } = joinFaults(warnings);
    return warn('account-wall', message, fix);
  }
  return pass('account-wall', 'The database isolates accounts, and connections have the settings they need.');
}
