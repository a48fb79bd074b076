export type { Answer, CallOptions, HttpRequest, OpenAnswer, OperationCaller, OperationInput } from './call.ts';
export { Postrider, type PostriderOptions } from './client.ts';
export { Download, type DownloadPromise } from './download.ts';
export {
  type ErrorCode,
  type FieldProblem,
  PostriderError,
  type PostriderErrorCode,
  type PostriderErrorDetails,
  type RefusedRecipient,
} from './errors.ts';
export type {
  Account,
  Attachment,
  BatchItem,
  BatchOutcome,
  CanceledEmail,
  Channel,
  DryRun,
  ExportRow,
  Health,
  Message,
  MessageEvent,
  MessagePage,
  MessageRecipient,
  MessageRecord,
  MessageStatus,
  NewSuppression,
  OwnKey,
  Problem,
  Readiness,
  RenderedTemplate,
  RequestPage,
  RequestRecord,
  RescheduledEmail,
  ResendAccepted,
  SendAccepted,
  SendRequest,
  ServiceInformation,
  Source,
  Suppression,
  SuppressionPage,
  SuppressionsAdded,
  TaggedUrl,
  Template,
  TemplatePage,
  TemplateVariable,
  TemplateVersion,
  Utm,
} from './generated/models.ts';
export type { OperationId } from './generated/operations.ts';
export { Page, type PagePromise } from './pagination.ts';
export type { Transport, TransportAnswer, TransportRequest } from './transport.ts';
