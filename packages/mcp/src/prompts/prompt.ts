import type { GetPromptResult } from '@modelcontextprotocol/server';
import type { Scope } from '@postrider/core';
import type { NamedId } from '../resources/find-ids.ts';
import { type ResourceCall, readResource } from '../resources/read-resource.ts';

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** A prompt that a user selects: the instructions and the data they need. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** The scopes of the tools that the prompt asks the model to call. */
  readonly scopes: readonly Scope[];
  /** Suggested values by argument name. */
  readonly completions: Readonly<Record<string, (call: ResourceCall) => Promise<readonly NamedId[]>>>;
  readonly get: (given: Readonly<Record<string, string>>, call: ResourceCall) => Promise<GetPromptResult['messages']>;
}

/** The user's own text. */
export function say(text: string): GetPromptResult['messages'][number] {
  return { role: 'user', content: { type: 'text', text } };
}

/** The current state of a resource, as context. */
export async function attach(uri: string, call: ResourceCall): Promise<GetPromptResult['messages'][number]> {
  return { role: 'user', content: { type: 'resource', resource: await readResource(uri, call) } };
}
