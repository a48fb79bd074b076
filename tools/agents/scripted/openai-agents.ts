import { type Model, RunState, setTracingDisabled, Usage } from '@openai/agents';
import { advance, createAgent, type Run } from '../examples/openai-agents.ts';
import { finish, load, postrider, readScript, report, saveTo } from './script.ts';

setTracingDisabled(true);
const script = readScript();

/** Calls the tool for each email of the script, and then says what the tools returned. */
const model: Model = {
  getResponse: async ({ input }) => {
    const items = typeof input === 'string' ? [] : input;
    const results = items.flatMap((item) =>
      item.type === 'function_call_result' ? [JSON.stringify(item.output)] : [],
    );
    if (results.length > 0) {
      const content = [{ type: 'output_text' as const, text: report(results) }];
      return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
    }
    const output = script.emails.map((email, index) => ({
      type: 'function_call' as const,
      callId: `call-${index}`,
      name: 'send_email',
      status: 'completed' as const,
      arguments: JSON.stringify(email),
    }));
    return { usage: new Usage(), output };
  },
  getStreamedResponse: () => {
    throw new Error('The examples do not stream.');
  },
};

const run: Run =
  script.mode === 'start'
    ? { id: script.runId, prompt: 'Send the emails.', state: null, sends: {} }
    : load<Run>(script);
if (script.mode === 'forge' && run.state !== null) {
  const state = await RunState.fromString(createAgent(model, new Map()), run.state);
  for (const item of state.getInterruptions()) state.approve(item);
  run.state = state.toString();
}
finish(await advance(run, { model, postrider, save: saveTo(script) }));
