import { LIMITS, type TemplateDraft } from '@postrider/core';
import { UNSHOWN } from '../../../../approvals/web/decision-form.ts';
import { attributes, html } from '../../../../html/page-markup.ts';
import { ProblemError } from '../../../../problem.ts';
import { badge } from '../../../../ui/components/badge.ts';
import { button } from '../../../../ui/components/button.ts';
import { textField } from '../../../../ui/components/field.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { revealed } from '../../../../ui/components/revealed-text.ts';
import { card, notice } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import { type PageResult, page, redirect } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import type { PageRequest } from '../../page-request.ts';
import { formFault } from './decide-page.ts';
import { DRAFT_COMPARISON, sizeOfChanges } from './draft-comparison.ts';
import { changedWords } from './draft-rows.ts';
import { APPROVALS, draftPathOf } from './paths.ts';
import { isFromScript, scriptResult } from './script-result.ts';

/** A template draft beside the version that it replaces. */
export async function showDraft(request: PageRequest): Promise<PageResult> {
  return await draftPage(request, await findDraft(request), null);
}

/** Publishes or discards a draft, exactly as it was shown. */
export async function decideDraft(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const id = request.param('template');
  const version = Number(request.param('version'));
  const decision = form.get('decision');
  if (decision !== 'publish' && decision !== 'discard')
    throw new ProblemError('validation_failed', { detail: 'The form names no decision.' });
  const note = form.text('note');
  const contentHash = form.text('contentHash');
  if (contentHash === undefined) throw formFault([UNSHOWN]);
  const body = {
    version,
    ...(note === undefined ? {} : { note }),
    contentHash,
  };
  const result =
    decision === 'publish'
      ? await request.attempt('templates.publish', { params: { id }, body })
      : await request.attempt('templates.discard', { params: { id }, body });
  const href = result.ok ? APPROVALS : draftPathOf(id, version);
  const message = result.ok
    ? `Version ${version} of ${id} was ${decision === 'publish' ? 'published' : 'discarded'}.`
    : `${result.problem.detail} ${result.problem.fix}`;
  if (isFromScript(form))
    return scriptResult(result.ok ? 200 : result.problem.status, { isDone: result.ok, message, href });
  if (result.ok) return redirect(href, message);
  const draft = await findDraft(request).catch(() => null);
  if (draft !== null) return await draftPage(request, draft, result.problem);
  return page({
    ...{ title: 'Nothing was decided', section: 'approvals', status: result.problem.status },
    content: html`${pageHeader({ title: 'Nothing was decided', crumbs: [{ label: 'Approvals', href: APPROVALS }] })}${problemNotice(result.problem)}`,
  });
}

/** There is no operation for one draft with its changes; an account has few. */
async function findDraft(request: PageRequest): Promise<TemplateDraft> {
  const [slug, version] = [request.param('template'), Number(request.param('version'))];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const query = { limit: '100', ...(cursor === undefined ? {} : { cursor }) };
    const { drafts, nextCursor } = await request.call('templates.drafts', { query });
    const found = drafts.find((draft) => draft.slug === slug && draft.version === version);
    if (found !== undefined) return found;
    cursor = nextCursor;
  }
  throw new ProblemError('not_found', { detail: 'There is no such draft. It may have been decided already.' });
}

async function draftPage(
  request: PageRequest,
  draft: TemplateDraft,
  problem: Parameters<typeof problemNotice>[0] | null,
): Promise<PageResult> {
  const { name, version, keyName, createdAt, note, changes, baseVersion, currentVersion } = draft;
  const title = `${name}, version ${version}`;
  const owner = { accountId: request.caller.accountId, keyId: draft.createdBy ?? draft.id };
  const result = await request.services.threads.run(owner, DRAFT_COMPARISON, changes, sizeOfChanges(changes));
  if (result.kind !== 'done')
    throw new ProblemError('unavailable', { detail: 'Too many large texts are being compared.' });
  const isBehind = currentVersion !== null && baseVersion !== currentVersion;
  const undone = isBehind
    ? notice(
        'warn',
        'It also reverts other changes',
        `It was written before version ${currentVersion} was published. Publishing it undoes what that version changed.`,
      )
    : null;
  const against =
    currentVersion === null
      ? 'The template has no published version yet.'
      : `Compared with version ${currentVersion}, which is in use.`;
  return page({
    ...{ title, section: 'approvals', status: problem === null ? 200 : 409, watch: ['approvals', 'templates'] },
    content: html`${pageHeader({
      title: revealed(title),
      lead: html`${badge('Waiting for an approver', 'warn')} Written by ${keyName === null ? 'a key that was deleted' : html`the key <b>${revealed(keyName)}</b>`}, ${time(createdAt)}. No message uses it until it is published.`,
      crumbs: [{ label: 'Approvals', href: APPROVALS }],
    })}${problem === null ? null : problemNotice(problem)}${undone}${note === null ? null : notice('info', 'The author wrote', html`“${revealed(note)}”`)}
${card('What changes', html`<p class="soft">${changedWords(changes)} ${against}</p>${{ markup: result.output }}`)}${request.may('templates.publish') ? decisionForm(draft, obstacleOf(draft, request.caller.user.memberId), request.passkeyHost) : null}`,
  });
}

/** Why the viewer cannot publish it, in words; null if they can. */
function obstacleOf({ approvers: { count, memberIds } }: TemplateDraft, viewerId: string): string | null {
  if (count > 1)
    return `${count} people approve what its author sends, so it cannot be published. Make the change yourself in the template, and discard the draft.`;
  if (memberIds === null || memberIds.includes(viewerId)) return null;
  return 'The key that wrote it names its approvers, and you are not one of them. You can discard it.';
}

function decisionForm(
  { id, slug, version, contentHash, name, approvers }: TemplateDraft,
  obstacle: string | null,
  passkeyHost: string | null,
) {
  const needsProof = approvers.requirePasskey && obstacle === null;
  const given = {
    ...{ method: 'post', action: draftPathOf(slug, version) },
    ...(needsProof
      ? { 'data-passkey': 'publish', 'data-host': passkeyHost }
      : { 'data-undo': id, 'data-subject': `${name}, version ${version}`, 'data-next': APPROVALS }),
  };
  return html`<form class="stack"${attributes(given)}><input type="submit" value="Choose a button" disabled hidden><input type="hidden" name="contentHash" value="${contentHash}">
${card('Your decision', html`${obstacle === null ? null : notice('warn', 'You cannot publish it', obstacle)}${needsProof ? PUBLISHING_NEEDS : null}${textField({ name: 'note', label: 'Note for the audit log (optional)', maxLength: LIMITS.approvalNoteCharacters })}`)}
<div class="decision-bar" role="group" aria-label="Decision"><span></span><div class="actions">${button('Discard', { kind: 'danger', key: 'r', name: 'decision', value: 'discard' })}${obstacle === null ? button('Publish', { kind: 'primary', key: 'a', name: 'decision', value: 'publish' }) : null}</div></div></form>`;
}

const PUBLISHING_NEEDS = html`<p class="small soft">Publishing this needs your <a href="/auth/passkeys">passkey</a>. Discarding does not.</p>`;
