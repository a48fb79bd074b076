import type { Decider } from '../../approvals/holds/decider.ts';
import type { KeyedContext } from '../context.ts';

/** Who acts in a call: a signed-in person goes by the id of their seat, as the key that stands for it does. */
export function deciderOf({ caller, via, address, requestId }: KeyedContext): Decider {
  return { actor: caller.keyId, way: via, address, requestId };
}
