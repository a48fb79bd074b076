export type { Answer, CallOptions, HttpRequest, OperationCaller, OperationInput } from './call.ts';
export { Postrider, type PostriderOptions } from './client.ts';
export {
  type ErrorCode,
  type FieldProblem,
  PostriderError,
  type PostriderErrorCode,
  type PostriderErrorDetails,
  type RefusedRecipient,
} from './errors.ts';
export type {
  Channel,
  Health,
  Message,
  MessageEvent,
  MessagePage,
  MessageRecipient,
  MessageRecord,
  MessageStatus,
  OwnKey,
  Problem,
  Readiness,
  RequestPage,
  RequestRecord,
  SendAccepted,
  SendRequest,
  ServiceInformation,
  Source,
} from './generated/models.ts';
export type { OperationId } from './generated/operations.ts';
export { Page, type PagePromise } from './pagination.ts';
export type { Transport, TransportAnswer, TransportRequest } from './transport.ts';
