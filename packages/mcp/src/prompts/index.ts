import { composeFromTemplate } from './compose-from-template.ts';
import { explainBounce } from './explain-bounce.ts';
import type { Prompt } from './prompt.ts';
import { setUpDomain } from './set-up-domain.ts';

/** All prompts. */
export const PROMPTS: readonly Prompt[] = [composeFromTemplate, explainBounce, setUpDomain];
