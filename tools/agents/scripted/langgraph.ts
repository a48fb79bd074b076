import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { Command } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { advance, createGraph } from '../examples/langgraph.ts';
import { finish, postrider, readScript, report } from './script.ts';

const script = readScript();

/** Calls the tool for each email of the script, and then says what the tools returned. */
class ScriptedModel extends BaseChatModel {
  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const since = messages.slice(messages.findLastIndex((message) => HumanMessage.isInstance(message)));
    const results = since.filter((message) => ToolMessage.isInstance(message)).map(({ content }) => String(content));
    const tool_calls = script.emails.map((args, index) => ({ id: `call-${index}`, name: 'send_email', args }));
    const message = results.length > 0 ? new AIMessage(report(results)) : new AIMessage({ content: '', tool_calls });
    return { generations: [{ text: '', message }] };
  }
}

const checkpointer = PostgresSaver.fromConnString(script.connectionString ?? '', { schema: 'langgraph' });
await checkpointer.setup();
let saves = 0;
const store = checkpointer.putWrites.bind(checkpointer);
checkpointer.putWrites = async (...writes) => {
  saves += 1;
  if (saves === script.crashAtSave) process.exit(9);
  await store(...writes);
};
const prompt = script.mode === 'start' ? 'Send the emails.' : null;
const parts = { model: new ScriptedModel({}), postrider, checkpointer };
if (script.mode === 'forge') {
  const config = { configurable: { thread_id: script.runId } };
  await createGraph(parts).invoke(new Command({ resume: { status: 'delivered', decision: 'approved' } }), config);
}
finish(await advance(script.runId, prompt, parts));
await checkpointer.end();
