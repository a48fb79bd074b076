import type { Clock } from '../clock.ts';
import { noteLargeGarbage } from '../heap.ts';
import type { Lane } from './lane-register.ts';
import { createWireRoom } from './wire-room.ts';

/**
 * What large messages take of the memory while they are sent: to destinations that have answered and take them in good time, to all
 * others, of either to one lane.
 */
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
/** What took longer keeps its room from the many that take a second: the next one goes to the others, until one is quick again. */
const SLOW_MS = 30_000;

export function createLargeMessages(clock: Clock): LargeMessages {
  const proven = createWireRoom<Lane>(PROVEN_OCTETS);
  const unproven = createWireRoom<Lane>(UNPROVEN_OCTETS);
  const slow = new WeakSet<Lane>();

  function forget(lane: Lane): void {
    proven.forget(lane);
    unproven.forget(lane);
  }

  return {
    take(lane, octets, isUnproven) {
      const [room, other] = isUnproven || slow.has(lane) ? [unproven, proven] : [proven, unproven];
      other.forget(lane);
      const isTooMuch = lane.octets > 0 && lane.octets + octets > LANE_OCTETS;
      if (isTooMuch) forget(lane);
      const leave = isTooMuch ? null : room.take(lane, octets);
      if (leave === null) return null;
      lane.octets += octets;
      const beganAtMs = clock.now().getTime();
      return () => {
        if (clock.now().getTime() - beganAtMs >= SLOW_MS) slow.add(lane);
        else slow.delete(lane);
        lane.octets -= octets;
        leave();
        noteLargeGarbage(octets);
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
