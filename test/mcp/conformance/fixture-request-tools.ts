import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { text } from './fixture-samples.ts';

/** The tools of the suite that send requests to the client while they run, as the 2025 revisions do in a session. */
export function addRequestTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Has the client’s model complete a prompt.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
      return text(`LLM response: ${JSON.stringify(content)}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) =>
      text(`User response: ${JSON.stringify(await mcpReq.elicitInput({ message, requestedSchema: USER_FORM }))}`),
  );
  for (const [name, requestedSchema] of [
    ['test_elicitation_sep1034_defaults', DEFAULTS_FORM],
    ['test_elicitation_sep1330_enums', ENUMS_FORM],
  ] as const) {
    server.registerTool(name, { description: `The suite’s ${name}.` }, async ({ mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput({ message: 'Please choose.', requestedSchema });
      return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
    });
  }
}

const USER_FORM = {
  type: 'object' as const,
  properties: {
    username: { type: 'string' as const, description: 'The user’s name' },
    email: { type: 'string' as const, description: 'The user’s email address' },
  },
  required: ['username', 'email'],
};

const DEFAULTS_FORM = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, default: 'John Doe' },
    age: { type: 'integer' as const, default: 30 },
    score: { type: 'number' as const, default: 95.5 },
    status: { type: 'string' as const, enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean' as const, default: true },
  },
};

const titled = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([value, title]) => ({ const: value, title }));
const OPTIONS = ['option1', 'option2', 'option3'];

const ENUMS_FORM = {
  type: 'object' as const,
  properties: {
    untitledSingle: { type: 'string' as const, enum: OPTIONS },
    titledSingle: {
      type: 'string' as const,
      oneOf: titled([
        ['value1', 'First Option'],
        ['value2', 'Second Option'],
        ['value3', 'Third Option'],
      ]),
    },
    legacyEnum: {
      type: 'string' as const,
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array' as const, items: { type: 'string' as const, enum: OPTIONS } },
    titledMulti: {
      type: 'array' as const,
      items: {
        anyOf: titled([
          ['value1', 'First Choice'],
          ['value2', 'Second Choice'],
          ['value3', 'Third Choice'],
        ]),
      },
    },
  },
};
