import type { Postrider } from '@postrider/sdk';
import { generateText, type LanguageModel, type ModelMessage, type ToolCallPart, tool } from 'ai';
import { DESCRIPTION, emailSchema, outcomeOf, type Sent, send } from './held-send.ts';

/** A run as it is stored: JSON. */
export interface Run {
  readonly id: string;
  readonly messages: ModelMessage[];
  /** By the id of the tool call. */
  readonly sends: Record<string, Sent>;
}

interface Parts {
  readonly model: LanguageModel;
  readonly postrider: Postrider;
  readonly save: (run: Run) => Promise<void>;
}

/** Without `execute`, a call ends the generation, and its result may come at any time, in any process. */
const tools = { send_email: tool({ description: DESCRIPTION, inputSchema: emailSchema }) };
const STEPS = 20;

/** Starts a run, or continues it. Returns the model's last text, or null if the run waits for an approver. */
export async function advance(run: Run, { model, postrider, save }: Parts): Promise<string | null> {
  for (let step = 0; step < STEPS; step += 1) {
    const calls = openCalls(run.messages);
    const outcomes = await Promise.all(
      calls.map(async ({ toolCallId, input }) => {
        run.sends[toolCallId] ??= await send(postrider, run.id, emailSchema.parse(input));
        return await outcomeOf(postrider, run.sends[toolCallId]);
      }),
    );
    await save(run);
    if (outcomes.includes(null)) return null;
    const content = calls.map(({ toolCallId, toolName }, index) => {
      const output = { type: 'text' as const, value: JSON.stringify(outcomes[index]) };
      return { type: 'tool-result' as const, toolCallId, toolName, output };
    });
    if (content.length > 0) run.messages.push({ role: 'tool', content });
    const { text, responseMessages, toolCalls } = await generateText({ model, tools, messages: run.messages });
    run.messages.push(...responseMessages);
    await save(run);
    if (toolCalls.length === 0) return text;
  }
  throw new Error(`The run ${run.id} has not ended after ${STEPS} steps.`);
}

/** The calls of the last message that have no result yet. */
function openCalls(messages: readonly ModelMessage[]): readonly ToolCallPart[] {
  const asked = messages.findLast(({ role }) => role === 'assistant');
  const parts = typeof asked?.content === 'string' ? [] : (asked?.content ?? []);
  const done = new Set(
    messages.flatMap(({ role, content }) =>
      role === 'tool' ? content.map((part) => (part.type === 'tool-result' ? part.toolCallId : '')) : [],
    ),
  );
  return parts.filter((part): part is ToolCallPart => part.type === 'tool-call' && !done.has(part.toolCallId));
}
