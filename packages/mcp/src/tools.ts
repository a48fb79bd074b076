import { defaultTool } from './default-tool.ts';
import { OWN_TOOLS } from './generated/own-tools.ts';
import { SURFACE } from './surface.ts';
import type { Tool } from './tool.ts';

/**
 * Every tool there is, those of all toolsets. Made once: the definitions are the same for every request, and converting the schemas again
 * for each listing would cost more than the rest of the request.
 */
export const TOOLS: readonly Tool[] = SURFACE.map((entry) => (OWN_TOOLS[entry.tool] ?? defaultTool)(entry));
