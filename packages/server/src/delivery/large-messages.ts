import type { Lane } from './lane-register.ts';
import { createWireRoom } from './wire-room.ts';

/** What large messages take of the memory while they are handed over: to destinations that have answered, to all others, of either to one lane. */
export interface LargeMessages {
  /** Room on the way, and what gives it back; null where there is none. */
  take(lane: Lane, octets: number, isUnproven: boolean): (() => void) | null;
  /** A lane that cannot go for another reason keeps nobody from the room. */
  forget(lane: Lane): void;
  /** Lets those try who wait for room, in their order. */
  retry(admit: (lane: Lane) => void): void;
}

const PROVEN_OCTETS = 64 * 1024 * 1024;
const UNPROVEN_OCTETS = 32 * 1024 * 1024;
const LANE_OCTETS = 16 * 1024 * 1024;

export function createLargeMessages(): LargeMessages {
  const proven = createWireRoom<Lane>(PROVEN_OCTETS);
  const unproven = createWireRoom<Lane>(UNPROVEN_OCTETS);

  function forget(lane: Lane): void {
    proven.forget(lane);
    unproven.forget(lane);
  }

  return {
    take(lane, octets, isUnproven) {
      const [room, other] = isUnproven ? [unproven, proven] : [proven, unproven];
      other.forget(lane);
      const isTooMuch = lane.octets > 0 && lane.octets + octets > LANE_OCTETS;
      if (isTooMuch) forget(lane);
      const leave = isTooMuch ? null : room.take(lane, octets);
      if (leave === null) return null;
      lane.octets += octets;
      return () => {
        lane.octets -= octets;
        leave();
      };
    },
    forget,
    retry(admit) {
      for (const room of [proven, unproven]) {
        for (let { first } = room; first !== undefined; ) {
          admit(first);
          first = room.first === first ? undefined : room.first;
        }
      }
    },
  };
}
