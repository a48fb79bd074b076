export {
  type Argument,
  type ArgumentPlace,
  argumentSchema,
  argumentsOf,
  type PlacedInput,
  placeArguments,
} from './arguments.ts';
export { ERROR_CODES, ERRORS, type ErrorCode, type ErrorDefinition } from './errors.ts';
export {
  CLASSIFICATIONS,
  type Classification,
  MESSAGE_EVENT_TYPES,
  MESSAGE_STATUSES,
  type MessageEventType,
  type MessageStatus,
} from './events.ts';
export { toFieldProblems } from './field-problems.ts';
export { type JsonSchema, toInlineSchema } from './json-schema.ts';
export { LIMITS } from './limits.ts';
export { errorCodesOf, resourceOf, toOpenApi } from './openapi.ts';
export type {
  Access,
  CliExposure,
  Effect,
  McpExposure,
  Operation,
  OperationInput,
  OperationOutput,
  OperationRequest,
} from './operation.ts';
export {
  type AnyOperation,
  type CallableId,
  type CallableOperation,
  findOperation,
  OPERATIONS,
  type OperationById,
  type OperationId,
} from './operations/index.ts';
export {
  foldAddress,
  hasForbiddenCharacter,
  type Mailbox,
  parseMailbox,
  toAsciiDomain,
} from './schemas/email-address.ts';
export { idSchema, isRequestId } from './schemas/identifiers.ts';
export type { KeyMode } from './schemas/key.ts';
export type { Message, MessageRecord } from './schemas/message.ts';
export type { FieldProblem, Problem, RefusedRecipient } from './schemas/problem.ts';
export { CHANNELS, type Channel, SOURCES, type Source } from './schemas/provenance.ts';
export { mailboxSchema, RECIPIENT_KINDS, type RecipientKind } from './schemas/recipients.ts';
export { type SendRequest, type SendRequestInput, sendRequestSchema } from './schemas/send-request.ts';
export { ALL_SCOPES, expandScopes, SCOPE_SHORTHANDS, SCOPES, type Scope } from './scopes.ts';
