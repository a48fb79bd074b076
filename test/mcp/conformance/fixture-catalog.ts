import { acceptedContent, completable, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { addInputTools, STATE } from './fixture-input-tools.ts';
import { addRequestTools } from './fixture-request-tools.ts';
import { PNG } from './fixture-samples.ts';
import { addPlainTools } from './fixture-tools.ts';

/** The catalog that the public conformance suite asks for, so that it can try our transport with everything the protocol has. */
export function createFixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'postrider-conformance', version: '1.0.0' },
    {
      // The lists never change, and are not said to.
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false, subscribe: true },
        logging: {},
      },
      requestState: { verify: STATE.verify },
    },
  );
  addPlainTools(server);
  addInputTools(server);
  addRequestTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addResources(server: McpServer): void {
  const plain = { description: 'A text that never changes.', mimeType: 'text/plain' };
  server.registerResource('static-text', 'test://static-text', plain, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  const png = { description: 'A pixel.', mimeType: 'image/png' };
  server.registerResource('static-binary', 'test://static-binary', png, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PNG }],
  }));
  server.registerResource('watched', 'test://watched-resource', plain, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'Watched.' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const json = { description: 'Data of an id.', mimeType: 'application/json' };
  server.registerResource('template', template, json, ({ href }, { id }) => ({
    contents: [
      {
        uri: href,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
  // What is watched never changes.
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function addPrompts(server: McpServer): void {
  const user = (content: { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string }) => ({
    role: 'user' as const,
    content,
  });
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments.' }, () => ({
    messages: [user({ type: 'text', text: 'This is a simple prompt for testing.' })],
  }));
  const two = z.object({
    arg1: completable(z.string(), (value) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value))),
    arg2: z.string(),
  });
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A prompt with two arguments.', argsSchema: two },
    ({ arg1, arg2 }) => ({
      messages: [user({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt that brings a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        user({ type: 'text', text: 'Please process the embedded resource above.' }),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with a picture.' }, () => ({
    messages: [
      user({ type: 'image', data: PNG, mimeType: 'image/png' }),
      user({ type: 'text', text: 'Please analyze the image above.' }),
    ],
  }));
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks back.' },
    ({ mcpReq }) => {
      const context = acceptedContent(mcpReq.inputResponses, 'user_context')?.['context'];
      if (typeof context === 'string') return { messages: [user({ type: 'text', text: `Context: ${context}` })] };
      const userContext = inputRequired.elicit({
        message: 'What context should the prompt use?',
        requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
      });
      return inputRequired({ inputRequests: { user_context: userContext } });
    },
  );
}
