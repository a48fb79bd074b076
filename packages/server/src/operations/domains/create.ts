import { readDomain } from '../../db/queries/domains.ts';
import { addDomain } from '../../sending-domains/add-domain.ts';
import { checkDomainChoice } from '../../sending-domains/domain-name.ts';
import { toDomain } from '../../sending-domains/domain-record.ts';
import { ed25519Selector, makeSelector, type NewKeyOptions } from '../../sending-domains/new-keys.ts';
import type { Handler } from '../context.ts';
import { validationFailed } from '../parse-part.ts';
import { cannotBegin, selectorTaken, unknownDomain } from './domain-problems.ts';

const DEFAULT_RETURN_PATH = 'bounce';

export const createDomain: Handler<'domains.create'> = async (
  { body },
  { services: { database, domains, installation }, caller },
) => {
  const { clock } = database;
  const { sandboxDomain } = installation;
  const { accountId, keyId: actor } = caller;
  const { name, dkimSelector = makeSelector(), returnPath = DEFAULT_RETURN_PATH, ed25519 = false } = body;
  const keys: NewKeyOptions[] = [
    { algorithm: 'rsa', selector: dkimSelector, state: 'signing' },
    ...(ed25519 ? [{ algorithm: 'ed25519', selector: ed25519Selector(dkimSelector), state: 'waiting' } as const] : []),
  ];
  const isSelectorGiven = body.dkimSelector !== undefined;
  const choice = { name, selectors: keys.map(({ selector }) => selector), isSelectorGiven, returnPath };
  const verdict = checkDomainChoice(choice, sandboxDomain);
  if (!verdict.ok) throw validationFailed([verdict.problem]);
  const { returnPathHost } = verdict;
  const added = await addDomain(domains.tools, { accountId, name, returnPathHost, keys, actor });
  if (added.kind === 'selector-taken') throw selectorTaken(added);
  if (added.kind !== 'added') throw cannotBegin(added, name, { again: 'create the domain', path: 'name' });
  const row = await readDomain(database.sql, accountId, added.id);
  // Only if a user removed it in the same moment.
  if (row === null) throw unknownDomain(added.id);
  return { body: toDomain(row, domains.tools.own, clock.now()) };
};
