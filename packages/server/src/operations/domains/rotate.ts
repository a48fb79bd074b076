import { SELECTOR_TOO_LONG } from '../../sending-domains/domain-name.ts';
import { toDomain } from '../../sending-domains/domain-record.ts';
import { rotateKeys } from '../../sending-domains/rotate-keys.ts';
import type { Handler } from '../context.ts';
import { validationFailed } from '../parse-part.ts';
import { assertDomainId, selectorTaken, tooManyKeys, unknownDomain } from './domain-problems.ts';

/** Begins a rotation of the keys of a domain. */
export const rotateDomain: Handler<'domains.rotate'> = async (
  { params, body },
  { services: { database, domains }, caller },
) => {
  assertDomainId(params.id);
  const { clock } = database;
  const order = { dkimSelector: body.dkimSelector ?? null, ed25519: body.ed25519 ?? null, actor: caller.keyId };
  const verdict = await rotateKeys(domains.tools, { accountId: caller.accountId, id: params.id }, order);
  if (verdict === null) throw unknownDomain(params.id);
  if (verdict.kind === 'selector-too-long') throw validationFailed([SELECTOR_TOO_LONG]);
  if (verdict.kind === 'too-many-keys') throw tooManyKeys(verdict);
  if (verdict.kind === 'selector-taken') throw selectorTaken(verdict);
  return { body: toDomain(verdict.domain, domains.tools.own, clock.now()) };
};
