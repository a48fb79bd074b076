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
  PROBLEM_STATUSES,
} from './events.ts';
export { toFieldProblems } from './field-problems.ts';
export { REASON_SENTENCES, REJECTIONS } from './hold-words.ts';
export { type JsonSchema, toInlineSchema } from './json-schema.ts';
export { type KeyPolicyWords, keyPolicyInWords } from './key-policy-words.ts';
export { KEY_POWERS } from './key-power-words.ts';
export type { KeyPolicy } from './key-settings.ts';
export { LIMITS } from './limits.ts';
export { resourceOf, toOpenApi, toOperationId } from './openapi.ts';
export {
  type Access,
  type AnonymousLimits,
  bodyLimitOf,
  type Ceiling,
  type CliExposure,
  type Deprecation,
  type Effect,
  type McpExposure,
  type McpTool,
  type Operation,
  type OperationInput,
  type OperationOutput,
  type OperationRequest,
} from './operation.ts';
export { errorCodesOf } from './operation-errors.ts';
export { type ReferenceParams, renameOperations, rewriteFixes, writeCommand } from './operation-references.ts';
export {
  type AnyOperation,
  type CallableId,
  type CallableOperation,
  findOperation,
  nameOperation,
  OPERATIONS,
  type OperationById,
  type OperationId,
  type ToolName,
} from './operations/index.ts';
export {
  describeProgramScope,
  FIRST_PROGRAM_SCOPES,
  PROGRAM_SCOPES,
  rolesGranting,
  scopesOfProgram,
} from './program-scopes.ts';
export {
  CALLER_POLICY,
  type CallerFacts,
  type CallerKind,
  kindsOfCaller,
  REACHES,
  type Reach,
  type ReachVerdict,
  refusedKind,
} from './reach.ts';
export { isReservedHeader } from './reserved-headers.ts';
export { isRoleWithin, ROLES, type Role, scopesOfRole, scopesOfSession } from './roles.ts';
export { accountNameSchema, type ReputationLevel } from './schemas/account.ts';
export {
  type Approval,
  type ApprovalDecision,
  type ApprovalEdits,
  type ApprovalReview,
  type DecidedApproval,
  newApprovalDecisionSchema,
} from './schemas/approval.ts';
export { APPROVAL_CHECK_NAMES, type ApprovalCheck, type ApprovalCheckName } from './schemas/approval-check.ts';
export { type Approvers, NO_APPROVERS, toApprovers } from './schemas/approvers.ts';
export { newAttachmentHostsSchema } from './schemas/attachment-hosts.ts';
export type { AuditEntry } from './schemas/audit-entry.ts';
export type { BatchItem } from './schemas/batch.ts';
export {
  DOMAIN_STATUSES,
  type Domain,
  type DomainRecord,
  type DomainStatus,
  withoutRoot,
} from './schemas/domain.ts';
export { DRY_RUN_CHECK_NAMES, type DryRun, type DryRunCheckName } from './schemas/dry-run.ts';
export {
  foldAddress,
  formatMailbox,
  hasForbiddenCharacter,
  type Mailbox,
  parseMailbox,
  toAsciiDomain,
  toStoredAddressPart,
} from './schemas/email-address.ts';
export { EXPORT_FORMATS, type ExportFormat } from './schemas/export-row.ts';
export {
  APPROVAL_STATUSES,
  type ApprovalStatus,
  EDITABLE_FIELDS,
  type EditableField,
  HOLD_REASONS,
  type HoldReason,
  REJECT_CODES,
  type RejectCode,
} from './schemas/hold.ts';
export { APPROVAL_MODES, type ApprovalMode, type HoldWhen } from './schemas/hold-when.ts';
export { AUTOMATIC_KEY_PREFIX, idempotencyKeySchema, idSchema, isRequestId } from './schemas/identifiers.ts';
export type { KeyMode, SendLimit } from './schemas/key.ts';
export type { Message, MessageRecord } from './schemas/message.ts';
export type { MessageApproval } from './schemas/message-approval.ts';
export { ATTEMPT_OUTCOMES, type MessageAttempt } from './schemas/message-attempt.ts';
export type { KeyChangesInput, NewKeyInput } from './schemas/new-key.ts';
export { pagesRows } from './schemas/page.ts';
export { passkeyNameSchema } from './schemas/passkey.ts';
export type { FieldProblem, Problem, RefusedRecipient } from './schemas/problem.ts';
export { agentNameSchema, CHANNELS, type Channel, SOURCES, type Source, sourceSchema } from './schemas/provenance.ts';
export { mailboxSchema, RECIPIENT_KINDS, type RecipientKind } from './schemas/recipients.ts';
export type { IsoDuration, ScheduledAt } from './schemas/scheduled-at.ts';
export { type SendRequest, type SendRequestInput, sendRequestSchema } from './schemas/send-request.ts';
export type { Suppression, SuppressionReason } from './schemas/suppression.ts';
export type { RenderedTemplate, Template, TemplatePreview } from './schemas/template.ts';
export type { TemplateDraft } from './schemas/template-draft.ts';
export { UNSUBSCRIBE_VARIABLE } from './schemas/template-variables.ts';
export {
  TICKET_STATUS_NAMES,
  type Ticket,
  type TicketStatus,
  ticketBodySchema,
} from './schemas/ticket.ts';
export type {
  DisabledReason,
  NewWebhookInput,
  Webhook,
  WebhookChangesInput,
  WebhookDelivery,
} from './schemas/webhook.ts';
export {
  type EmailEventData,
  type EventData,
  eventSchemaName,
  WEBHOOK_EVENT_SCHEMAS,
  type WebhookEvent,
} from './schemas/webhook-event.ts';
export {
  ALL_SCOPES,
  expandScopes,
  SCOPE_SHORTHANDS,
  SCOPES,
  type Scope,
} from './scopes.ts';
export { servedMethods } from './served-methods.ts';
export { FINDING_LEVELS, type FindingDefinition, type FindingLevel } from './tool-findings/finding.ts';
export { type FindingCode, TOOL_FINDINGS, type ToolCheckName } from './tool-findings.ts';
export { readToolsets, TOOLSET_NAMES, TOOLSETS, type Toolset } from './toolsets.ts';
export {
  EVENT_VISIBILITY,
  type EventSubject,
  maySee,
  seesWithoutSecret,
  VISIBILITY_RULES,
  type Viewer,
  type Visibility,
  type VisibilityRule,
} from './visibility.ts';
export { votesInWords } from './vote-words.ts';
export {
  ACCOUNT_EVENT_TYPES,
  type AccountEventType,
  describeEventType,
  EMAIL_EVENT_NAMES,
  type EmailEventType,
  EVENT_API_VERSION,
  QUOTA_THRESHOLDS,
  WEBHOOK_EVENT_NAMES,
  type WebhookEventType,
} from './webhook-events.ts';
export { toZoneFile } from './zone-file.ts';
