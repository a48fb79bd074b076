import { html } from '../../../../html/page-markup.ts';
import { notice } from '../../../../ui/components/surfaces.ts';
import { type PageResult, redirect } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { TEMPLATES_PATH, templatePath } from './paths.ts';
import { readSamples } from './sample-values.ts';
import { templatePage } from './template-page.ts';
import { versionPage } from './version-page.ts';

/** Makes a new version that equals an earlier one, if the current version is still the one that the user saw. */
export async function rollBack(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const params = { id: request.param('id') };
  const { currentVersion } = await request.call('templates.get', { params });
  const version = form.text('version') ?? '';
  if (form.get('base') !== String(currentVersion)) return await notRolledBack(request, currentVersion);
  const note = form.text('note');
  const body = {
    rollbackTo: Number(version),
    ...(currentVersion === null ? {} : { baseVersion: currentVersion }),
    ...(note === undefined ? {} : { note }),
  };
  const result = await request.attempt('templates.update', { params, body }, ['approval_changed']);
  if (!result.ok) {
    return await notRolledBack(request, (await request.call('templates.get', { params })).currentVersion);
  }
  return redirect(
    templatePath(result.body),
    `Version ${result.body.currentVersion} is the current one. It equals version ${version}.`,
  );
}

async function notRolledBack(request: PageRequest, currentVersion: number | null): Promise<PageResult> {
  const warning = notice(
    'warn',
    `Version ${currentVersion} was published in the meantime.`,
    'Nothing was changed. Compare the two versions, and roll back again if you still want to.',
  );
  return await versionPage(request, request.form.text('version') ?? '', html`${warning}`);
}

export async function testTemplate(request: PageRequest): Promise<PageResult> {
  const typed = request.form.get('variables') ?? '';
  const samples = readSamples(typed);
  if (!samples.ok) return await templatePage(request, { problem: null, variables: typed, fault: samples.fault });
  const params = { id: request.param('id') };
  const result = await request.attempt('templates.test', { params, body: { variables: samples.values } });
  if (!result.ok) return await templatePage(request, { problem: result.problem, variables: typed, fault: null });
  return redirect(templatePath(params), `A test was sent to ${request.caller.user.email}.`);
}

export async function deleteTemplate(request: PageRequest): Promise<PageResult> {
  const { name } = await request.call('templates.delete', { params: { id: request.param('id') } });
  return redirect(TEMPLATES_PATH, `${name} was deleted.`);
}
