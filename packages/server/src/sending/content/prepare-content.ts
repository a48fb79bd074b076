import type { SendRequest } from '@postrider/core';
import type { TemplateTools } from '../../templates/template-tools.ts';
import type { Refusal } from '../acceptance.ts';
import type { Sender } from '../judged-sender.ts';
import { hostListsOf, judgesOf } from '../judging-keys.ts';
import type { SendInput } from '../parsed-send.ts';
import type { BodyShaper } from './body-shaper.ts';
import type { FileSession, FileSource } from './fetch-files.ts';
import { prepareAttachments } from './prepare-attachments.ts';
import { renderTemplate, type WrittenContent } from './render-template.ts';
import { resolveSchedule } from './schedule.ts';
import type { BodyFindings, SendContent } from './send-content.ts';

export type ContentVerdict =
  | { readonly ok: true; readonly content: SendContent }
  /** All faults, the first one first: a dry run reports every one, a send is refused with the first. */
  | {
      readonly ok: false;
      readonly refusals: readonly Refusal[];
      /** What was found in the bodies of a refused send. */
      readonly findings: BodyFindings;
    };

/** What the stages of preparation need. */
export interface ContentTools {
  readonly now: () => Date;
  /** Where files that a send names by URL come from. */
  readonly files: FileSource;
  readonly templates: TemplateTools;
  readonly bodies: BodyShaper;
}

/**
 * Prepares the content of a send before acceptance, so that the accepted content is what is sent. Renders the template, fetches and checks
 * files, tags links, finds the links to track and derives the text.
 * @param files the files of the call that contains the send
 * @param isDryRun fetches nothing
 * @throws if a dependency does not respond; the outcome of the send is unknown then.
 */
export async function prepareContent(
  tools: ContentTools,
  sender: Sender,
  { request, stored }: Pick<SendInput, 'request' | 'stored'>,
  files: FileSession,
  isDryRun = false,
): Promise<ContentVerdict> {
  const { accountId, keyId, trackOpens, trackClicks } = sender;
  const rules = judgesOf(sender).map(({ approval }) => approval?.holdWhen);
  // Asks only what a rule needs: each question costs a pass over the body, and large bodies of one key are queued behind each other. A rule
  // without an answer holds the send, whatever the content.
  const mayAsk = stored?.isHidden !== true;
  const seeksLinks = mayAsk && rules.some((rule) => rule?.linkDomainNotIn != null);
  const seeksFiles = mayAsk && rules.some((rule) => rule?.hasAttachments === true);
  const judgesValues = rules.some((rule) => rule?.freeformBody === true);
  const written =
    request.template === undefined ? null : await renderTemplate(tools.templates, accountId, request, judgesValues);
  const refusals = written?.ok === false ? [...written.refusals] : [];
  const schedule = request.scheduled_at === undefined ? NOW : resolveSchedule(request.scheduled_at, tools.now());
  if (!schedule.ok) refusals.push(schedule.refusal);
  const { subject, template, templateMakers, ...body } =
    written?.ok === true ? written.content : contentAsGiven(request);
  const shaping = tools.bodies.shape(
    { accountId, keyId },
    { ...body, subject, utm: request.utm, headers: request.headers, trackOpens, trackClicks, seeksLinks, seeksFiles },
  );
  const shaped = shaping instanceof Promise ? await shaping : shaping;
  if ('busy' in shaped) return { ok: false, refusals: [...refusals, BUSY], findings: {} };
  const { html, text, tracking, findings, addedText } = shaped;
  if (shaped.refusal !== null) refusals.push(shaped.refusal);
  const rule = { isDryRun, hosts: hostListsOf(sender) };
  const attached = await prepareAttachments({ request, subject, html, text }, files, rule, refusals.length > 0);
  refusals.push(...attached.refusals);
  if (!schedule.ok || refusals.length > 0) return { ok: false, refusals, findings };
  return {
    ok: true,
    content: {
      subject,
      html,
      text,
      template: stored?.template ?? template,
      templateMakers,
      attachments: stored?.attachments ?? attached.attachments,
      tracking,
      scheduledAt: schedule.at,
      findings,
      ...(addedText === null ? {} : { addedText }),
    },
  };
}

const NOW = { ok: true, at: null } as const;

const BUSY: Refusal = { code: 'unavailable', detail: 'Too many large messages are being prepared right now.' };

function contentAsGiven({ subject = '', html, text }: SendRequest): WrittenContent {
  return { subject, html: html ?? null, text, template: null, templateMakers: null, values: null };
}
