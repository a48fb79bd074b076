import type { SendRequest } from '@postrider/core';
import type { TemplateTools } from '../../templates/template-tools.ts';
import type { Refusal } from '../acceptance.ts';
import type { BodyShaper } from './body-shaper.ts';
import type { FileSession, FileSource } from './fetch-files.ts';
import { type FileRule, prepareAttachments } from './prepare-attachments.ts';
import { renderTemplate, type WrittenContent } from './render-template.ts';
import { resolveSchedule } from './schedule.ts';
import type { BodyFindings, SendContent } from './send-content.ts';

/** What content is made from: the request, and what is known of its account. */
export interface ContentOrder {
  readonly accountId: string;
  /** The key it is sent under: large bodies of one key wait behind each other. */
  readonly keyId: string;
  readonly request: SendRequest;
  /** Whether a rule of the key asks where the links lead. */
  readonly seeksLinks?: boolean;
  /** Whether a rule of the key asks for files within the bodies. */
  readonly seeksFiles?: boolean;
  /** Whether a rule of the key asks what the variables add to the template. */
  readonly judgesValues?: boolean;
  /** The account's switches. */
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
  /** Of a message that is sent again: what was made of its request the first time, taken over as it is. */
  readonly stored?: StoredContent | undefined;
  /** Which URLs its files may be fetched from. */
  readonly fileRule: FileRule;
  /** The files of the call this send came in; it has them to itself where none is given. */
  readonly files?: FileSession | undefined;
}

export type StoredContent = Pick<SendContent, 'template' | 'attachments'>;

export type ContentVerdict =
  | { readonly ok: true; readonly content: SendContent }
  /** All that is wrong, the first one first: a dry run names every one, a send is refused by the first. */
  | {
      readonly ok: false;
      readonly refusals: readonly Refusal[];
      /** About the bodies of what was refused. */
      readonly findings: BodyFindings;
    };

/** What the stages of preparation work with. */
export interface ContentTools {
  readonly now: () => Date;
  /** Where the files come from that a send names by URL. */
  readonly files: FileSource;
  readonly templates: TemplateTools;
  readonly bodies: BodyShaper;
}

/**
 * Makes the content of a send, before acceptance: what is accepted is what is sent. Renders the template, fetches and checks files, tags
 * links, finds the links to track, derives the text.
 * @throws where a part it needs does not answer: nothing is known of the send then.
 */
export async function prepareContent(tools: ContentTools, order: ContentOrder): Promise<ContentVerdict> {
  const { request, stored, judgesValues = false } = order;
  const written =
    request.template === undefined
      ? null
      : await renderTemplate(tools.templates, order.accountId, request, judgesValues);
  const refusals = written?.ok === false ? [...written.refusals] : [];
  const schedule = request.scheduled_at === undefined ? NOW : resolveSchedule(request.scheduled_at, tools.now());
  if (!schedule.ok) refusals.push(schedule.refusal);
  const { subject, template, templateMakers, ...body } =
    written?.ok === true ? written.content : contentAsGiven(request);
  const { accountId, keyId, trackOpens, trackClicks, seeksLinks = false, seeksFiles = false } = order;
  const shaped = await tools.bodies.shape(
    { accountId, keyId },
    { ...body, subject, utm: request.utm, headers: request.headers, trackOpens, trackClicks, seeksLinks, seeksFiles },
  );
  if ('busy' in shaped) return { ok: false, refusals: [...refusals, BUSY], findings: {} };
  const { html, text, tracking, findings, addedText } = shaped;
  if (shaped.refusal !== null) refusals.push(shaped.refusal);
  const source = order.files ?? tools.files;
  const files = await prepareAttachments({ request, subject, html, text }, source, order.fileRule, refusals.length > 0);
  refusals.push(...files.refusals);
  if (!schedule.ok || refusals.length > 0) return { ok: false, refusals, findings };
  return {
    ok: true,
    content: {
      subject,
      html,
      text,
      template: stored?.template ?? template,
      templateMakers,
      attachments: stored?.attachments ?? files.attachments,
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
