import { setTimeout as delay } from 'node:timers/promises';
import { fromJsonSchema, inputRequired, type JsonSchemaType, type McpServer } from '@modelcontextprotocol/server';
import { PNG, SAY_CAPITAL, text, WAV } from './fixture-samples.ts';

/** The suite wants some milliseconds between notifications. */
const PAUSE_MS = 50;

/** The tools of the suite with a single response: every kind of content, errors, progress, logging, and a schema with every keyword. */
export function addPlainTools(server: McpServer): void {
  const add = (name: string, run: Parameters<typeof server.registerTool>[2]) =>
    server.registerTool(name, { description: `The suite’s ${name}.` }, run);
  const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
  add('test_simple_text', () => text('This is a simple text response for testing.'));
  add('test_image_content', () => ({ content: [image] }));
  add('test_audio_content', () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }));
  add('test_embedded_resource', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  add('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
    ],
  }));
  add('test_error_handling', () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }));
  // What a client did not declare is refused by the transport: -32021 and 400.
  add('test_missing_capability', () =>
    inputRequired({ inputRequests: { capital_question: inputRequired.createMessage(SAY_CAPITAL) } }),
  );
  addNotifyingTools(server);
  addSchemaTool(server);
}

function embedded(uri: string, mimeType: string, value: string) {
  return { type: 'resource' as const, resource: { uri, mimeType, text: value } };
}

function addNotifyingTools(server: McpServer): void {
  const config = { description: 'Says what it does on the way.' };
  server.registerTool('test_tool_with_progress', config, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await delay(PAUSE_MS);
      if (progressToken === undefined) continue;
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
    return text('Done with progress.');
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, config, async ({ mcpReq }) => {
      for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', message);
        await delay(PAUSE_MS);
      }
      return text('Done with logging.');
    });
  }
}

/** The suite looks for each of these keywords in the listing: what a tool says of its arguments goes out as it was given. */
const EVERY_KEYWORD = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

function addSchemaTool(server: McpServer): void {
  const inputSchema = fromJsonSchema<{ name?: string }>(structuredClone(EVERY_KEYWORD) as JsonSchemaType);
  const description = 'Takes what JSON Schema 2020-12 can say.';
  server.registerTool('json_schema_2020_12_tool', { description, inputSchema }, ({ name }) => text(`Name: ${name}`));
}
