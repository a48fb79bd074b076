import type { McpServer } from '@modelcontextprotocol/server';
import { PROMPTS } from '../prompts/index.ts';
import { newestOf } from './find-ids.ts';
import type { ResourceCall } from './read-resource.ts';
import { RESOURCE_KINDS, uriTemplateOf } from './resource-kinds.ts';

/** The maximum number of values in one response of the protocol ("Completion", 2025-06-18 and later). */
const VALUES_MAX = 100;

/** Sets the handler that completes ids in resource URIs and prompt arguments, from the newest objects. */
export function setCompletionHandler({ server }: McpServer, callOf: (signal: AbortSignal) => ResourceCall): void {
  server.registerCapabilities({ completions: {} });
  server.setRequestHandler('completion/complete', async ({ params }, { mcpReq }) => {
    const call = callOf(mcpReq.signal);
    const { ref, argument } = params;
    const known =
      ref.type === 'ref/resource'
        ? await idsOfTemplate(ref.uri, argument.name, call)
        : await valuesOfPrompt(ref.name, argument.name, call);
    const values = [...new Set(known)].filter((value) => value.toLowerCase().startsWith(argument.value.toLowerCase()));
    return { completion: { values: values.slice(0, VALUES_MAX), hasMore: values.length > VALUES_MAX } };
  });
}

async function idsOfTemplate(uri: string, argument: string, call: ResourceCall): Promise<readonly string[]> {
  const kind = RESOURCE_KINDS.find((known) => uriTemplateOf(known) === uri && known.variable === argument);
  return kind === undefined ? [] : (await newestOf(kind.name, call)).map(({ id }) => id);
}

async function valuesOfPrompt(name: string, argument: string, call: ResourceCall): Promise<readonly string[]> {
  const complete = PROMPTS.find((prompt) => prompt.name === name)?.completions[argument];
  return complete === undefined ? [] : (await complete(call)).map(({ id }) => id);
}
