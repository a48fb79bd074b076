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

/** The bodies of one send with everything that decides how they are shaped. Plain data, so that it can be passed to a thread. */
export interface BodyOrder extends TrackingSwitches {
  readonly html: string | null;
  /** Null or undefined: derive it. */
  readonly text: string | null | undefined;
  readonly subject: string;
  readonly utm: SendRequest['utm'];
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether a rule needs the link destinations. */
  readonly seeksLinks: boolean;
  /** Whether a rule needs the files within the bodies. */
  readonly seeksFiles: boolean;
  /** What the variables of a template printed, if a rule needs what they add. */
  readonly values?: PrintedValues | null;
}

export interface ShapedBodies {
  readonly html: string | null;
  readonly text: string | null;
  /** Why the bodies cannot be sent; null if they can. */
  readonly refusal: Refusal | null;
  readonly tracking: ContentTracking | null;
  readonly findings: BodyFindings;
  /** Null if no rule needs it. */
  readonly addedText: AddedText | null;
}

/** Everything computed from the text of a message in time proportional to its length: tags and finds links, derives the plain text. */
export function shapeBodies(order: BodyOrder): ShapedBodies {
  const { headers, utm } = order;
  const given = toBodyText(null, order.text);
  const tagged = tagLinks({ utm, headers }, { html: order.html, text: given });
  const { html } = tagged;
  // From the tagged HTML, so that the text has its links exactly: where a URL ends is not clear from text alone.
  const text = order.text == null ? toBodyText(html, null) : tagged.text;
  return {
    html,
    text,
    refusal: tagged.ok ? null : tagged.refusal,
    tracking: tagged.ok ? planContentTracking(html, headers, order) : null,
    findings: findInBodies(order, html, text),
    // Runs before links are tagged, because the neutral rendering is not tagged either.
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

/** `asGiven`: the body is unchanged from the input, so the thread need not copy it back. */
export interface ReturnedBodies extends ShapedBodies {
  readonly asGiven: { readonly html: boolean; readonly text: boolean };
}

export const SHAPE_BODIES = threadJob(import.meta.url, 'SHAPE_BODIES', (order: BodyOrder): ReturnedBodies => {
  const shaped = shapeBodies(order);
  const asGiven = { html: shaped.html === order.html, text: shaped.text === order.text };
  const { html, text } = shaped;
  return { ...shaped, html: asGiven.html ? null : html, text: asGiven.text ? null : text, asGiven };
});
