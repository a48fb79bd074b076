import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { NAME_FORM, SAY_CAPITAL, text } from './fixture-samples.ts';

/** A server a request: the key has to outlive it. */
export const STATE = createRequestStateCodec<{ round: number }>({ key: 'a key of the fixture, 32 bytes or more' });

type Responses = ServerContext['mcpReq']['inputResponses'];

const ASK_NAME = inputRequired.elicit({ message: 'What is your name?', requestedSchema: NAME_FORM });

/** The tools of the suite that ask the client back, by results of protocol 2026-07-28. */
export function addInputTools(server: McpServer): void {
  const add = (name: string, run: (context: ServerContext) => ReturnType<Run>) =>
    server.registerTool(name, { description: `The suite’s ${name}.` }, run);
  add('test_input_required_result_elicitation', ({ mcpReq }) => {
    const name = nameIn(mcpReq.inputResponses, 'user_name');
    return name === null ? inputRequired({ inputRequests: { user_name: ASK_NAME } }) : text(`Hello, ${name}!`);
  });
  add('test_streaming_elicitation', ({ mcpReq }) => {
    const name = nameIn(mcpReq.inputResponses, 'user_name');
    return name === null ? inputRequired({ inputRequests: { user_name: ASK_NAME } }) : text(`Hello, ${name}!`);
  });
  add('test_input_required_result_sampling', ({ mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, 'capital_question');
    if (response.kind === 'sampling') return text(`Answer: ${JSON.stringify(response.result.content)}`);
    return inputRequired({ inputRequests: { capital_question: inputRequired.createMessage(SAY_CAPITAL) } });
  });
  add('test_input_required_result_list_roots', ({ mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, 'client_roots');
    if (response.kind === 'roots') return text(`Roots: ${response.roots.map(({ uri }) => uri).join(', ')}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  add('test_input_required_result_capabilities', () => {
    const capabilities = server.server.getClientCapabilities() ?? {};
    const inputRequests: InputRequests = {
      ...(capabilities.elicitation ? { user_name: ASK_NAME } : {}),
      ...(capabilities.sampling ? { capital_question: inputRequired.createMessage(SAY_CAPITAL) } : {}),
    };
    return Object.keys(inputRequests).length === 0 ? text('Nothing to ask.') : inputRequired({ inputRequests });
  });
  addStatefulTools(server);
}

type Run = () =>
  | ReturnType<typeof text>
  | ReturnType<typeof inputRequired>
  | Promise<ReturnType<typeof text> | ReturnType<typeof inputRequired>>;

function addStatefulTools(server: McpServer): void {
  const add = (name: string, run: (context: ServerContext) => ReturnType<Run>) =>
    server.registerTool(name, { description: `The suite’s ${name}.` }, run);
  const confirm = inputRequired.elicit({
    message: 'Please confirm',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  });
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    add(name, async ({ mcpReq }) => {
      const hasResponse = inputResponse(mcpReq.inputResponses, 'confirm').kind === 'elicit';
      if (hasResponse && roundOf(mcpReq) === 1) return text('state-ok');
      return inputRequired({ inputRequests: { confirm }, requestState: await STATE.mint({ round: 1 }) });
    });
  }
  add('test_input_required_result_multiple_inputs', async ({ mcpReq }) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (keys.every((key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing')) return text('All there.');
    const inputRequests = {
      user_name: ASK_NAME,
      greeting: inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
        maxTokens: 50,
      }),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await STATE.mint({ round: 1 }) });
  });
  add('test_input_required_result_multi_round', async ({ mcpReq }) => {
    const round = roundOf(mcpReq);
    const isIn = (key: string) => inputResponse(mcpReq.inputResponses, key).kind === 'elicit';
    if (round === 2 && isIn('step2')) return text('Both rounds done.');
    if (round === 1 && isIn('step1')) {
      const step2 = inputRequired.elicit({
        message: 'Step 2: What is your favorite color?',
        requestedSchema: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
      });
      return inputRequired({ inputRequests: { step2 }, requestState: await STATE.mint({ round: 2 }) });
    }
    const step1 = inputRequired.elicit({ message: 'Step 1: What is your name?', requestedSchema: NAME_FORM });
    return inputRequired({ inputRequests: { step1 }, requestState: await STATE.mint({ round: 1 }) });
  });
}

function roundOf(mcpReq: ServerContext['mcpReq']): number {
  return mcpReq.requestState<{ round: number }>()?.round ?? 0;
}

function nameIn(responses: Responses, key: string): string | null {
  const name = acceptedContent(responses, key)?.['name'];
  return typeof name === 'string' ? name : null;
}
