import type { Decider } from '../../approvals/holds/decider.ts';
import type { KeyedContext } from '../context.ts';

/** The user or key that acts in a call. A signed-in user is named by the id of the seat, as is the key that represents the seat. */
export function deciderOf({
  caller,
  via,
  address,
  requestId,
}: Pick<KeyedContext, 'caller' | 'via' | 'address' | 'requestId'>): Decider {
  return { actor: caller.keyId, way: via, address, requestId };
}
