import { expandScopes } from '@postrider/core';
import { toChecklist } from '../../accounts/checklist.ts';
import { readChecklistFacts } from '../../db/queries/checklist-facts.ts';
import type { Handler } from '../context.ts';

export const getAccountChecklist: Handler<'account.checklist'> = async (
  _input,
  { services: { database, installation }, caller },
) => {
  const { sql } = database;
  const { sandboxDomain } = installation;
  const fullScopes = expandScopes(['full']).scopes.length;
  const facts = await readChecklistFacts(sql, caller.accountId, fullScopes);
  // A caller has a key and is using it, so this step is done.
  const items = toChecklist({ ...facts, keyUsed: true }, sandboxDomain);
  return { body: { items: [...items], completed: items.filter(({ done }) => done).length, total: items.length } };
};
