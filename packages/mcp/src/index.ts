export { renderAgentGuide } from './agent-guide.ts';
export { HELD_VIEW_TOOLS } from './apps/held-view-tools.ts';
export { APPS_EXTENSION, declaresApps } from './apps/ui-extension.ts';
export { createMcpServer, type McpServerSettings } from './create-server.ts';
export {
  type Credentials,
  type CredentialsVerdict,
  type Profile,
  readCredentials,
  readProfile,
} from './credentials.ts';
export { createDuplicateQueue } from './duplicate-queue.ts';
export { createMcpHttpHandler, type McpCaller, type McpHttpHandler, type McpHttpSettings } from './http-handler.ts';
export type { Invoke, InvokeResult } from './invoke.ts';
export { missingScopesOf } from './missing-scopes.ts';
export { PROMPTS } from './prompts/index.ts';
export { parseResourceUri, RESOURCE_KINDS, resourceUri } from './resources/resource-kinds.ts';
export type { ResourceWatch, WatchResources } from './resources/resource-watch.ts';
export type {
  Declared,
  McpSession,
  McpSessionEvent,
  McpSessionStream,
  McpSessions,
} from './sessions/session-port.ts';
export { DEFAULT_TOOLSET, SURFACE, type SurfaceEntry } from './surface.ts';
export type { Tool } from './tool.ts';
export { TOOLS } from './tools.ts';
export { withWaitInWords } from './wait-in-words.ts';
