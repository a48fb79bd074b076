import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Scope } from '@postrider/core';
import type { ResourceCall } from '../resources/read-resource.ts';
import { isVisible } from '../surface.ts';
import { PROMPTS } from './index.ts';
import type { Prompt } from './prompt.ts';

/** Sets the prompt handlers. A key sees the prompts whose tools it may call. */
export function setPromptHandlers(
  { server }: McpServer,
  scopes: readonly Scope[] | null,
  callOf: (signal: AbortSignal) => ResourceCall,
): void {
  const prompts = PROMPTS.filter((prompt) => prompt.scopes.every((scope) => isVisible(scope, scopes)));
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts.map(({ name, title, description, arguments: list }) => ({
      name,
      title,
      description,
      arguments: [...list],
    })),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, { mcpReq }) => {
    const prompt = prompts.find(({ name }) => name === params.name);
    if (prompt === undefined) throw refusal(`Prompt ${params.name} not found`);
    const given = params.arguments ?? {};
    assertArguments(prompt, given);
    return { description: prompt.description, messages: await prompt.get(given, callOf(mcpReq.signal)) };
  });
}

function assertArguments(prompt: Prompt, given: Readonly<Record<string, string>>): void {
  const missing = prompt.arguments.filter(({ name, required }) => required && !given[name]?.trim());
  if (missing.length > 0) throw refusal(`${prompt.name} needs: ${missing.map(({ name }) => name).join(', ')}`);
  const unknown = Object.keys(given).filter((name) => !prompt.arguments.some((known) => known.name === name));
  if (unknown.length > 0) throw refusal(`${prompt.name} does not accept: ${unknown.join(', ')}`);
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
