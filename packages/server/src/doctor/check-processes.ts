import { type DoctorCheck, pass, warn } from './doctor-check.ts';

export interface ProcessFacts {
  /** How many processes a start would have. */
  readonly processes: number;
  /** The most database connections of each. */
  readonly perProcess: number;
  /** What the database allows to its user; null if it is the embedded one, which allows what its server needs. */
  readonly allowed: number | null;
}

const FIX =
  'Raise max_connections of the database (or the connection limit of its user), or set POSTRIDER_PROCESSES to fewer. Servers on other machines need connections too.';

/** Whether the database has connections for all processes of a server. */
export function judgeProcesses({ processes, perProcess, allowed }: ProcessFacts): DoctorCheck {
  const needed = processes * perProcess;
  const who = processes === 1 ? 'One process needs' : `${processes} processes need`;
  if (allowed === null) return pass('processes', `${who} up to ${needed} connections of the embedded PostgreSQL.`);
  const text = `${who} up to ${needed} of the ${allowed} connections that the database allows.`;
  return needed <= allowed ? pass('processes', text) : warn('processes', text, FIX);
}
