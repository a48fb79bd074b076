import { type JsonSchema, OPERATIONS, toOpenApi } from '@postrider/core';
import { stringify } from 'yaml';
import type { Installation } from '../../config/installation.ts';
import { ProblemError } from '../../problem.ts';
import { ALWAYS_LARGE, anonymousOwner, type JobThreads } from '../../threads/job-threads.ts';
import { threadJob } from '../../threads/thread-job.ts';
import type { CallContext, Handler } from '../context.ts';
import { keepJson } from '../ready-json.ts';

export const getOpenApiJson: Handler<'service.openapi-json'> = async (_input, context) => ({
  body: (await documentOf(context)).json,
});

export const getOpenApiYaml: Handler<'service.openapi-yaml'> = async (_input, context) => ({
  body: (await documentOf(context)).yaml,
});

interface Rendered {
  readonly json: JsonSchema;
  readonly yaml: string;
}

const rendered = new Map<string, Promise<Rendered>>();

/** Created once: it depends only on the version and the address. */
function documentOf({ services: { threads, installation }, address }: CallContext): Promise<Rendered> {
  const { baseUrl } = installation;
  const former = rendered.get(baseUrl);
  if (former !== undefined) return former;
  const document = render(threads, installation, address);
  rendered.set(baseUrl, document);
  document.catch(() => rendered.delete(baseUrl));
  return document;
}

/** Runs in a thread, because it takes half a second and needs no key. */
async function render(
  threads: JobThreads,
  { version, baseUrl: serverUrl }: Installation,
  address: string,
): Promise<Rendered> {
  const result = await threads.run(anonymousOwner(address), RENDER_DOCUMENT, { version, serverUrl }, ALWAYS_LARGE);
  if (result.kind === 'busy') {
    throw new ProblemError('unavailable', { detail: 'The server is too busy to write the document.' });
  }
  const { json, yaml } = result.output;
  return { json: keepJson(JSON.parse(json), json), yaml };
}

export const RENDER_DOCUMENT = threadJob(
  import.meta.url,
  'RENDER_DOCUMENT',
  (server: { readonly version: string; readonly serverUrl: string }) => {
    const document = toOpenApi(OPERATIONS, server);
    return { json: JSON.stringify(document), yaml: stringify(document, { aliasDuplicateObjects: false }) };
  },
);
