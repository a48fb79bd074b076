import { type KeyRow, keyRestrictions } from '../db/queries/api-keys.ts';

/** Names the fields as the API does. */
const FIELD_OF: Readonly<Partial<Record<keyof KeyRow, string>>> = {
  keyName: 'name',
  storedScopes: 'scopes',
  personaSource: 'persona',
  personaAgentName: 'persona',
  approvalsNeedPasskey: 'approvers',
  approvalsNeeded: 'approvers',
  approverIds: 'approvers',
  hourlySends: 'sendLimit',
  dailySends: 'sendLimit',
};

const { scopes: _stored, ...restrictions } = keyRestrictions;
// Object.keys widens to string; the literal has exactly these names.
const CHANGEABLE = [
  'keyName',
  'storedScopes',
  ...(Object.keys(restrictions) as (keyof typeof restrictions)[]),
] as const;

/** The fields that a change of a key changed. */
export function changedFields(before: KeyRow, after: KeyRow): readonly string[] {
  const changed = CHANGEABLE.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return [...new Set(changed.map((name) => FIELD_OF[name] ?? name))];
}
