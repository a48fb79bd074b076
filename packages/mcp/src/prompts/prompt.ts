import type { GetPromptResult } from '@modelcontextprotocol/server';
import type { Scope } from '@postrider/core';
import type { NamedId } from '../resources/find-ids.ts';
import { type ResourceCall, readResource } from '../resources/read-resource.ts';

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** A beginning of a conversation that a person picks: what to do, and what to know for it. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** What a key needs for what the prompt asks of the model. */
  readonly scopes: readonly Scope[];
  /** Values that fit an argument, by its name. */
  readonly completions: Readonly<Record<string, (call: ResourceCall) => Promise<readonly NamedId[]>>>;
  readonly get: (given: Readonly<Record<string, string>>, call: ResourceCall) => Promise<GetPromptResult['messages']>;
}

/** Words of the user. */
export function say(text: string): GetPromptResult['messages'][number] {
  return { role: 'user', content: { type: 'text', text } };
}

/** A resource as it stands now, to go with the words. */
export async function attach(uri: string, call: ResourceCall): Promise<GetPromptResult['messages'][number]> {
  return { role: 'user', content: { type: 'resource', resource: await readResource(uri, call) } };
}
