import { Agent, type Model, RunState, type RunToolApprovalItem, run as runAgent, tool } from '@openai/agents';
import type { Postrider } from '@postrider/sdk';
import { DESCRIPTION, type Email, emailSchema, outcomeOf, type Sent, send } from './held-send.ts';

/** A run as it is stored: JSON. */
export interface Run {
  readonly id: string;
  readonly prompt: string;
  /** The serialized `RunState`; null before the first call of a tool. */
  state: string | null;
  /** By the id of the tool call. */
  readonly sends: Record<string, Sent>;
}

interface Parts {
  readonly model: Model;
  readonly postrider: Postrider;
  readonly save: (run: Run) => Promise<void>;
}

const STEPS = 20;

/** Starts a run, or continues it. Returns the agent's final output, or null if the run waits for an approver. */
export async function advance(run: Run, { model, postrider, save }: Parts): Promise<string | null> {
  const outcomes = new Map<string, string>();
  const agent = createAgent(model, outcomes);
  let state = run.state === null ? null : await RunState.fromString(agent, run.state);
  for (let step = 0; step < STEPS; step += 1) {
    const calls = (state?.getInterruptions() ?? []).map((item) => ({ item, call: callOf(item) }));
    for (const { call } of calls) run.sends[call.callId] ??= await send(postrider, run.id, call.email);
    await save(run);
    for (const { item, call } of calls) {
      const outcome = await outcomeOf(postrider, run.sends[call.callId] ?? { refused: 'This call was not sent.' });
      if (outcome === null) return null;
      outcomes.set(call.callId, JSON.stringify(outcome));
      if (outcome['status'] === 'rejected') state?.reject(item, { message: JSON.stringify(outcome) });
      else state?.approve(item);
    }
    const result = await runAgent(agent, state ?? run.prompt);
    if (result.interruptions.length === 0) return result.finalOutput ?? '';
    state = result.state;
    run.state = state.toString();
    await save(run);
  }
  throw new Error(`The run ${run.id} has not ended after ${STEPS} steps.`);
}

/** @param outcomes what the calls return, by their ids */
export function createAgent(model: Model, outcomes: ReadonlyMap<string, string>): Agent {
  const sendEmail = tool({
    name: 'send_email',
    description: DESCRIPTION,
    parameters: emailSchema,
    // Every call interrupts the run after the input guardrails. `advance` sends, so that a stored state comes before every send.
    needsApproval: true,
    execute: (_email, _context, details) =>
      outcomes.get(details?.toolCall?.callId ?? '') ?? 'The outcome is unknown. Do not send it again.',
  });
  return new Agent({ name: 'Assistant', model, tools: [sendEmail] });
}

function callOf({ rawItem }: RunToolApprovalItem): { readonly callId: string; readonly email: Email } {
  if (rawItem.type !== 'function_call') throw new Error(`A call of the type ${rawItem.type} is no email.`);
  return { callId: rawItem.callId, email: emailSchema.parse(JSON.parse(rawItem.arguments)) };
}
