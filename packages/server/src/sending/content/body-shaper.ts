import type { TemplateSource } from '../../templates/template-job.ts';
import type { JobThreads } from '../../threads/job-threads.ts';
import type { JobOwner } from '../../threads/thread-pool.ts';
import { whenKnown } from '../../when-known.ts';
import { type BodyOrder, type ReturnedBodies, SHAPE_BODIES, type ShapedBodies } from './shape-bodies.ts';

/** The threads are overloaded; the same request may be repeated. */
export type Busy = { readonly busy: true };

/** Shapes bodies without delaying other requests, whatever their size and content. */
export interface BodyShaper {
  shape(owner: JobOwner, order: BodyOrder): ShapedBodies | Busy | Promise<ShapedBodies | Busy>;
}

export function createBodyShaper(threads: JobThreads): BodyShaper {
  return {
    shape(owner, order) {
      const characters = (order.html?.length ?? 0) + (order.text?.length ?? 0) + sizeOf(order.values?.neutral);
      return whenKnown(threads.run(owner, SHAPE_BODIES, order, characters), (result) =>
        result.kind === 'done' ? whole(order, result.output) : { busy: true },
      );
    },
  };
}

function whole(order: BodyOrder, { asGiven, ...shaped }: ReturnedBodies): ShapedBodies {
  const { html, text } = shaped;
  return { ...shaped, html: asGiven.html ? order.html : html, text: asGiven.text ? (order.text ?? null) : text };
}

function sizeOf(parts: TemplateSource | undefined): number {
  return (parts?.html?.length ?? 0) + (parts?.text?.length ?? 0);
}
