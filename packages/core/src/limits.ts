/** Every limit a caller can reach, with its unit in its name. The OpenAPI document and the error texts read them from here. */
export const LIMITS = {
  recipientsPerMessage: 50,
  addressesPerField: 500, // before de-duplication; bounds the work of one request
  subjectCharacters: 998,
  bodyBytes: 2_000_000,
  tagsPerMessage: 10,
  tagCharacters: 64,
  agentNameCharacters: 128,
  customHeaders: 50,
  headerNameCharacters: 76,
  headerValueCharacters: 998,
  metadataKeys: 20,
  metadataKeyCharacters: 64,
  metadataValueCharacters: 1_024,
  utmValueCharacters: 255,
  linkCharacters: 8_192, // longer links are left unchanged: servers in between reject such request lines
  trackedLinksPerMessage: 1_000, // further links are not tracked
  trackingEventsPerMessage: 100, // of each type: opened, clicked
  attachmentsPerMessage: 20,
  encodedMessageBytes: 25 * 1024 * 1024,
  messageHeaderFields: 2_000, // of a message over SMTP, with all its parts
  messageHeaderBytes: 512 * 1024,
  filenameCharacters: 255,
  urlCharacters: 2_048,
  contentTypeCharacters: 255,
  contentIdCharacters: 200,
  scheduleDaysMax: 30,
  schedulePastSeconds: 60,
  templateReferenceCharacters: 120,
  templateSlugCharacters: 100,
  templateNameCharacters: 100,
  templateNoteCharacters: 500,
  templateVariablesCharacters: 1_000_000,
  templateVersionsShown: 1_000,
  templateRenderMs: 1_000,
  templateRenderMegabytes: 64,
  emailsPerBatch: 100,
  exportRows: 100_000,
  exportsAtOnce: 3, // of an account, in one server process
  suppressionsPerCall: 1_000,
  noteCharacters: 1_000,
  addressCharacters: 254,
  localPartCharacters: 64,
  mailboxCharacters: 512,
  idempotencyKeyCharacters: 255,
  idempotencyKeyHours: 24,
  automaticKeyMinutes: 10,
  requestIdCharacters: 128,
  requestBodyBytes: 16 * 1024, // of an operation that does not allow more
  sendBodyBytes: 40 * 1024 * 1024, // a message of 25 MiB as JSON, even if a client escapes everything beyond ASCII
  templateBodyBytes: 20 * 1024 * 1024, // both bodies and the variables at their maximum, with escapes
  decisionBodyBytes: 13 * 1024 * 1024, // edits may replace both bodies
  keyBodyBytes: 1024 * 1024, // allowlists of 1,000 entries
  suppressionBodyBytes: 1024 * 1024,
  ticketBodyBytes: 192 * 1024,
  idListBodyBytes: 64 * 1024,
  jsonDepth: 64,
  jsonNames: 50_000, // of all objects of a body together; each new name costs the parser microseconds
  jsonValues: 200_000,
  jsonStringBytes: 26 * 1024 * 1024, // an attachment as large as a message may be
  jsonNumberCharacters: 1_000,
  headerSectionBytes: 16 * 1024,
  unfinishedBodiesPerAddress: 512, // of requests with a valid key whose bodies are still arriving
  unfinishedBodies: 2_048,
  anonymousUnfinishedBodiesPerAddress: 64,
  anonymousUnfinishedBodies: 512,
  unfinishedBodyBytesPerAddress: 120 * 1024 * 1024, // received so far of large bodies that are still arriving
  unfinishedBodyBytes: 200 * 1024 * 1024,
  unreadResponseBytesPerAddress: 120 * 1024 * 1024, // of responses that their clients have not read completely
  unreadResponseBytes: 200 * 1024 * 1024,
  requestLogDays: 30,
  /** A search of the request log reads at most this many requests. */
  requestSearchRows: 50_000,
  pageSizeDefault: 50,
  pageSizeMax: 100,
  exactTotalMax: 10_000,
  searchCharactersMin: 2,
  searchCharactersMax: 200,
  waitSecondsMax: 60,
  bodyRetentionDays: 30,
  logRetentionDays: 400,
  retentionDaysMax: 36_500,
  statsWindowDaysDefault: 14,
  statsWindowDaysMax: 90,
  topAgents: 10,
  volumeGroups: 10,
  reputationWindowDays: 7,
  reputationSendsMin: 100, // with fewer, a single bounce would change the rating
  deletionGraceDays: 30,
  attemptsShown: 100, // the newest of a message
  conversationLines: 200, // of a delivery attempt at one server: enough for a message to 50 recipients
  conversationLineCharacters: 500,
  conversationBytes: 8_192, // stored in the event log; an ordinary attempt needs a few hundred
  attemptBytes: 16 * 1024, // of the conversations of one attempt with all its servers
  retryHoursDefault: 24,
  retryHoursMax: 72,
  monthlyQuotaDefault: 100_000,
  keyNameCharacters: 100,
  keyRatePerMinuteDefault: 600,
  keyRatePerMinuteMax: 1_000_000,
  keySendsMax: 1_000_000_000,
  keyRecipientEntries: 1_000,
  keyNetworks: 100,
  keyDomainEntries: 1_000,
  keyAttachmentHosts: 50,
  keyGraceSecondsMax: 604_800,
  keyGenerations: 10, // a key created by a key created by a key…; each has its own send limits
  keyExpiringDays: 7, // before its end, the expiry of a key is announced
  heldPerKey: 1_000, // undecided at once
  draftsPerKey: 50, // of templates, that no approver has decided
  heldQuotaPercent: 20, // of the monthly quota, in recipients, that all undecided holds of an account may reserve together
  approvalHoursDefault: 72,
  approvalHoursMax: 720,
  approvalNoteCharacters: 1_000,
  approvalsPerCall: 100,
  approversPerHold: 5, // people that a rule can require to approve one held send
  approverMembers: 50, // members that a key can name as its approvers
  approvalMails: 20, // minutes between mails to each approver of an account; later holds wait for one mail about all of them
  approvalMailMinutes: 10,
  noticeRepeatHours: 24, // in which members get no second mail about the same state of a key, a domain or an endpoint
  noticeMailMinutes: 60, // after a notice by mail, the account's later ones of that kind wait for one mail about all of them
  accountNameCharacters: 100,
  domainsPerAccount: 50,
  removedDomainsPerAccount: 1_000, // the history keeps the most recently removed ones
  retiredKeysPerDomain: 100,
  unusedSelectorDays: 30, // no cache keeps a record for more than a week, and by then a repeated rotation has ended
  unusedSelectorsPerName: 1_000,
  dkimKeysPerHour: 100, // created for one account; each costs a few hundred milliseconds of processor time
  domainPendingHours: 72,
  domainGraceHours: 72,
  dkimSelectorCharacters: 100,
  retiredKeyDays: 7, // a retired DKIM key stays published for mail in transit
  seatsPerAccount: 25,
  invitationsPerDay: 50, // mailed for one account in 24 hours; seats do not limit this, because a seat can be removed and given again
  accessTokenSeconds: 3_600, // of a program that signed in with OAuth
  sessionIdleDays: 7,
  sessionDays: 30, // from its start, however much it is used
  sessionsListed: 100, // of one user; the most recently used ones stay
  magicLinkMinutes: 10,
  magicLinksPerClientAndAddress: 20, // sent in magicLinkMinutes; a request over this or the next two limits gets the same response
  magicLinksPerClient: 60, // sent in magicLinkMinutes, to all addresses
  magicLinksPerAddress: 120, // sent in an hour for all clients; a browser that signed in before gets one a minute beyond all of these
  knownBrowserDays: 180, // since its last sign-in
  /** Programs that a user allowed. */
  programsListed: 100,
  passkeysPerUser: 10,
  passkeyNameCharacters: 60,
  firstPasskeyMinutes: 15, // after signing in; enough to find the page, too short for most stolen sessions
  passkeyChallengeMinutes: 5, // to confirm in the browser's own window
  signInRequestsPerMinute: 300, // of a client address: links and devices
  devicePollsPerMinute: 600, // per client address, which several devices may share
  deviceCodeMinutes: 15,
  deviceIntervalSeconds: 5,
  deviceClientCharacters: 100, // that a program sends about itself
  deviceCodeTries: 20, // by one user in deviceCodeMinutes; a sign-in needs two
  deviceCodeTriesPerAddress: 100, // in deviceCodeMinutes: an office has one address
  toolRequestsPerMinute: 20, // of a client address, over all tools
  toolChecksUnderWay: 50, // of one server, of all addresses together
  toolQuestionsPerMinute: 6_000, // DNS queries of one server for all client addresses together; one check needs at most 250
  toolMemorySeconds: 5, // results are shared between checks, so that callers cannot make the server query one name repeatedly
  toolBodyBytes: 64 * 1024,
  toolSeconds: 10, // all lookups of one check; what is missing after that could not be checked
  ticketSubjectCharacters: 200,
  ticketBodyCharacters: 20_000,
  ticketContextBytes: 16 * 1024,
  ticketMessages: 100, // of one thread; together with the next limit it bounds the size of a page of tickets
  ticketCharacters: 200_000, // of all messages of one thread
  ticketEmailEvents: 200, // the newest events of the message
  auditActionCharacters: 100,
  auditNameCharacters: 320, // an actor or a target: an id, or an address
  webhooksPerAccount: 50,
  webhookDescriptionCharacters: 500,
  webhookEventFilters: 100,
  webhookSeconds: 15, // for the response of an endpoint; 5 of them to connect
  webhookAttempts: 10, // over about 75 hours
  webhookFailingDays: 5, // of failures only, after which an endpoint is disabled
  webhookFailuresMin: 20,
  webhookStreamsPerAccount: 10, // on each server process
  mcpSubscriptionsPerAccount: 50, // streams of MCP notifications on each server process
  mcpSessionStreamsPerAccount: 100, // streams of MCP sessions on each server process
  mcpSessionStreams: 2_000, // on each server process
  mcpSessionsPerKey: 100, // with subscriptions; beyond it, the one that was unused for the longest time ends
  mcpEndedSessionsPerKey: 1_000, // that are remembered as ended
  mcpSubscriptionsPerSession: 100,
  mcpSessionIdleHours: 24, // until an unused session with subscriptions ends
  mcpSessionDays: 30, // until every session ends
  mcpReplyBytes: 16 * 1024, // of a client's response that another process waits for
  consoleStreamsPerUser: 10, // of live changes, on each server process
  consoleStreams: 1_000, // on each server process
  consoleStreamTopics: 20,
  webhookSecretGraceHours: 24, // after a rotation, both secrets sign
  webhookResponseBytes: 4_096, // of a response that are stored
  webhookReplayDays: 7,
  webhookReplayIds: 1_000,
  webhookRetentionDays: 30, // of events and attempts
  domainCharacters: 253, // RFC 1035 §2.3.4, in text
  selectorCharacters: 180, // leaves room for `._domainkey.` and a domain
} as const;
