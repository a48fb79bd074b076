import type { SendRequest } from '@postrider/core';
import { LIMITS } from '@postrider/core/limits';
import { type AddedText, findAddedText } from '../../approvals/holds/added-text.ts';
import { embedsFiles } from '../../approvals/holds/embedded-files.ts';
import { enoughHosts, findMessageHosts } from '../../links/link-hosts.ts';
import type { PrintedValues } from '../../templates/template-job.ts';
import { threadJob } from '../../threads/thread-job.ts';
import type { Refusal } from '../acceptance.ts';
import { toBodyText } from './body-text.ts';
import { planContentTracking, type TrackingSwitches } from './plan-content-tracking.ts';
import type { BodyFindings, ContentTracking } from './send-content.ts';
import { tagLinks } from './tag-links.ts';

/** The bodies of one send, with all that decides what becomes of them. Plain data, so that a thread can be asked. */
export interface BodyOrder extends TrackingSwitches {
  readonly html: string | null;
  /** Null or undefined: to be derived. */
  readonly text: string | null | undefined;
  readonly subject: string;
  readonly utm: SendRequest['utm'];
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether a rule asks where the links lead. */
  readonly seeksLinks: boolean;
  /** Whether a rule asks for files within the bodies. */
  readonly seeksFiles: boolean;
  /** What the variables of a template printed, where a rule asks what they add. */
  readonly values?: PrintedValues | null;
}

export interface ShapedBodies {
  readonly html: string | null;
  readonly text: string | null;
  /** Why they cannot be sent; null where they can. */
  readonly refusal: Refusal | null;
  readonly tracking: ContentTracking | null;
  readonly findings: BodyFindings;
  /** Null where no rule asks. */
  readonly addedText: AddedText | null;
}

/** All that is worked out from the text of a message, and takes time in proportion to it: links tagged and found, the plain text derived. */
export function shapeBodies(order: BodyOrder): ShapedBodies {
  const { headers, utm } = order;
  const tagged = tagLinks({ utm, headers }, { html: order.html, text: toBodyText(order.html, order.text) });
  const { html, text } = tagged;
  return {
    html,
    text,
    refusal: tagged.ok ? null : tagged.refusal,
    tracking: tagged.ok ? planContentTracking(html, headers, order) : null,
    findings: findInBodies(order, html, text),
    // Before links are tagged: the neutral rendering is not tagged either.
    addedText: order.values ? findAddedText(order, order.values) : null,
  };
}

function findInBodies(
  { subject, headers = {}, seeksLinks, seeksFiles }: BodyOrder,
  html: string | null,
  text: string | null,
): BodyFindings {
  const find = () => findMessageHosts({ html, text, lines: [subject], headers });
  return {
    ...(seeksLinks ? { linkHosts: enoughHosts(find(), LIMITS.keyDomainEntries) } : {}),
    ...(seeksFiles ? { embedsFiles: embedsFiles(html, text) } : {}),
  };
}

/** `asGiven`: the body is the one of the order, which need not travel back from a thread. */
export interface ReturnedBodies extends ShapedBodies {
  readonly asGiven: { readonly html: boolean; readonly text: boolean };
}

export const SHAPE_BODIES = threadJob(import.meta.url, 'SHAPE_BODIES', (order: BodyOrder): ReturnedBodies => {
  const shaped = shapeBodies(order);
  const asGiven = { html: shaped.html === order.html, text: shaped.text === order.text };
  const { html, text } = shaped;
  return { ...shaped, html: asGiven.html ? null : html, text: asGiven.text ? null : text, asGiven };
});
