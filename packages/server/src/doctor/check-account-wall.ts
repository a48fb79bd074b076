import { bindAccount } from '../db/account-client.ts';
import type { DatabaseTarget } from '../db/client.ts';
import { type SampleConnection, withSampleConnections } from '../db/database-pools.ts';
import { readConnectionFacts, readWallFacts } from '../db/queries/account-wall.ts';
import { startParametersOf, statementTimeoutOf } from '../db/session-settings.ts';
import { type DoctorCheck, fail, pass, warn } from './doctor-check.ts';
import {
  type CheckedConnection,
  judgeConnections,
  judgePlanning,
  judgeWall,
  type WallFault,
} from './judge-account-wall.ts';

/** No account has it. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

export interface WallFindings {
  /** What no server may start with. */
  readonly faults: readonly WallFault[];
  readonly warnings: readonly WallFault[];
}

/** Looks at the wall between accounts on the very kinds of connections that a server has; changes nothing. */
export async function examineAccountWall(target: DatabaseTarget): Promise<WallFindings> {
  return await withSampleConnections(target, async (samples) => {
    const connections = await Promise.all(samples.map(look));
    const bound = samples.find(({ isBound }) => isBound);
    // Roles that are wrong already say why: with them, the rest would be read as another user.
    const faults = judgeConnections(connections);
    if (bound === undefined || connections.some(({ isBound, facts }) => isBound && facts.user === facts.sessionUser))
      return { faults, warnings: [] };
    const wall = judgeWall(await bindAccount(bound.sql, NO_ACCOUNT).begin('read only', readWallFacts));
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

/** Of several, the message names each once; the fixes are joined as well. */
export function joinFaults(faults: readonly WallFault[]): WallFault {
  const joined = (texts: readonly string[]) => [...new Set(texts)].join(' ');
  return { message: joined(faults.map(({ message }) => message)), fix: joined(faults.map(({ fix }) => fix)) };
}

/** The doctor's view of it. */
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
  return pass('account-wall', 'The database keeps accounts apart, and connections have the settings they need.');
}
