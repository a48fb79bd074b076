import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  END,
  interrupt,
  isInterrupted,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import type { Postrider } from '@postrider/sdk';
import { DESCRIPTION, emailSchema, outcomeOf, type Sent, send } from './held-send.ts';

interface Parts {
  readonly model: BaseChatModel;
  readonly postrider: Postrider;
  /** Stores the run after every node, for example a `PostgresSaver`. */
  readonly checkpointer: BaseCheckpointSaver;
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** By the id of the tool call. */
  sends: Annotation<Record<string, Sent>>({ reducer: (all, more) => ({ ...all, ...more }), default: () => ({}) }),
});

const sendEmail = tool(() => 'The node `send` sends.', {
  name: 'send_email',
  description: DESCRIPTION,
  schema: emailSchema,
});

/** The agent, the send, and the wait for its decision. */
export function createGraph({ model, postrider, checkpointer }: Parts) {
  const withTools = model.bindTools?.([sendEmail]) ?? model;
  return (
    new StateGraph(State)
      .addNode('agent', async ({ messages }) => ({ messages: [await withTools.invoke(messages)] }))
      // A node of its own: a node that interrupts runs again from its beginning, and would send again.
      .addNode('send', async ({ messages }, { configurable }) => {
        const runId = String(configurable?.['thread_id']);
        const sends = callsOf(messages).map(async ({ id = '', args }) => {
          return [id, await send(postrider, runId, emailSchema.parse(args))] as const;
        });
        return { sends: Object.fromEntries(await Promise.all(sends)) };
      })
      .addNode('decision', async ({ messages, sends }) => {
        const results: ToolMessage[] = [];
        for (const { id = '' } of callsOf(messages)) {
          const sent = sends[id] ?? { refused: 'This call was not sent.' };
          let outcome = await outcomeOf(postrider, sent);
          // What resumes the graph only wakes it. If there is no decision yet, it is interrupted again.
          while (outcome === null) {
            interrupt(sent);
            outcome = await outcomeOf(postrider, sent);
          }
          results.push(new ToolMessage({ tool_call_id: id, content: JSON.stringify(outcome) }));
        }
        return { messages: results };
      })
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', ({ messages }) => (callsOf(messages).length === 0 ? END : 'send'))
      .addEdge('send', 'decision')
      .addEdge('decision', 'agent')
      .compile({ checkpointer })
  );
}

/** Starts a run with a prompt, or continues it without one. Returns the model's last text, or null if the run waits for an approver. */
export async function advance(runId: string, prompt: string | null, parts: Parts): Promise<string | null> {
  // Each step is stored before the next one: what comes after a crash knows what was sent.
  const config = { configurable: { thread_id: runId }, recursionLimit: 60, durability: 'sync' as const };
  const graph = createGraph(parts);
  const waits = async () => (await graph.getState(config)).tasks.some(({ interrupts }) => interrupts.length > 0);
  const state =
    prompt !== null
      ? await graph.invoke({ messages: [new HumanMessage(prompt)] }, config)
      : await graph.invoke((await waits()) ? new Command({ resume: true }) : null, config);
  return isInterrupted(state) ? null : String(state.messages.at(-1)?.content ?? '');
}

function callsOf(messages: readonly BaseMessage[]) {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
}
