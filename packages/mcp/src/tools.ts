import { defaultTool } from './default-tool.ts';
import { OWN_TOOLS } from './generated/own-tools.ts';
import { SURFACE } from './surface.ts';
import type { Tool } from './tool.ts';

/**
 * All tools of all toolsets, created once. The definitions are the same for every request, and converting the schemas for each listing
 * would cost more than the rest of the request.
 */
export const TOOLS: readonly Tool[] = SURFACE.map((entry) => (OWN_TOOLS[entry.tool] ?? defaultTool)(entry));
