// The authoring interface of plugins.
export {
  functionDefaults,
  type OptionName,
  type OptionValue,
  option,
  rawOption,
  sdbPlace,
  withoutTemplateSecrets,
} from '../config/mod.ts'
export type { Dict, Value } from '../data/mod.ts'
export type { BackendLocks, FetchOptions, FileClient, FileSum } from '../fileserver/mod.ts'
export {
  type Command,
  type CommandResult,
  type Connection,
  type FileStat,
  type FileType,
  groupIdsOf,
  type Host,
  HostError,
  isHostError,
  parseGroup,
  parsePasswd,
  type SocketAddress,
  systemError,
  type User,
  type UserGroup,
  unlessRefused,
} from '../host/mod.ts'
export type { HttpRequest, HttpSocket, HttpStream, HttpUpgrade } from '../http/mod.ts'
export { type AwsKey, awsEscaped, CA_BUNDLES, type HttpClient, signAws } from '../http/mod.ts'
export { type MatchOptions, type MatchSubject, match } from '../match/mod.ts'
export { display } from '../output/mod.ts'
export type {
  CacheChange,
  DataCache,
  JobRecord,
  JobReturn,
  JobStore,
  KeyFolder,
  MinionProgress,
  PackedLoads,
  PkiKeys,
  QueueStore,
  SharedBanks,
} from '../store/mod.ts'
export { isOwnBank } from '../store/mod.ts'
export { generateRsaKeys, pemFingerprint, RsaPrivateKey, RsaPublicKey } from '../wire/mod.ts'
export { type Arg, type ArgKind, type Args, arg, type Bound, optionalText, type TextOrNumber } from './arg.ts'
export { batchCount, isBatchOver } from './batch-state.ts'
export {
  type BeaconContext,
  type BeaconDeclaration,
  beaconOptions,
  defineBeacon,
  dictOption,
  type Followed,
  floatOf,
  intOf,
  ownOptions,
  percentOf,
  remembered,
  roundedPercent,
} from './beacon.ts'
export { bind, type Callable, filledArguments, frameOf, signatureOf, textOrNumber } from './bind.ts'
export type { BootstrapOutcome, BootstrapReach, BootstrapRequest } from './bootstrap.ts'
export type {
  CloudClient,
  CloudListing,
  CloudOutcome,
  CloudPlan,
  CloudQuery,
  CloudReach,
  CloudRequest,
  MapRequest,
} from './cloud.ts'
export {
  awaitReady,
  boundSettings,
  type CloudAccount,
  type CloudAction,
  type CloudContext,
  type CloudDriver,
  type CloudFunction,
  type CloudNode,
  type CloudSteps,
  cloudAction,
  cloudFunction,
  defineDriver,
  type MachineRequest,
  type UnfinishedMachine,
} from './cloud-driver.ts'
export { CommandError, nestedText } from './command-error.ts'
export {
  bindPublished,
  type CallArguments,
  type PublishedCall,
  parseInput,
  publishedArguments,
  publishedCalls,
  publishedLists,
  readArgument,
} from './command-line.ts'
export {
  type CommandOutcome,
  type CommandWords,
  namesIn,
  outputOf,
  requiredProgram,
  retcodeOf,
  runAll,
  succeeds,
  textAt,
} from './commands.ts'
export type {
  Answer,
  DaemonAccess,
  FunctionContext,
  InsideCall,
  InstalledExtension,
  Keywords,
  MinionAnswer,
  MinionRequest,
  OwnPlugin,
  PillarOrigin,
  PillarRequest,
  PluginContext,
  ProxyAccess,
  RenderRequest,
  SdbAction,
  SdbRequest,
  StateCatalogue,
  UpgradePackage,
  UpgradeRequest,
} from './context.ts'
export {
  changes,
  defineModule,
  type FunctionDeclaration,
  type ModuleDeclaration,
  reads,
  ret,
} from './declare.ts'
export type { FunctionDescription, ModuleDescription, Result, Returns } from './description.ts'
export { type DaemonPart, defineEngine, type EngineContext, type EngineDeclaration } from './engine.ts'
export { engineFile, engineStates } from './engine-states.ts'
export { changed, ensure, ensureOrFail, failed, foreseen, orFailed, type Steps, settled, Verdict } from './ensure.ts'
export { whileExpecting } from './expected-files.ts'
export {
  type CacheDriver,
  callExtPillar,
  callSdb,
  callTops,
  type DataSourceContext,
  dataSourceContext,
  defineCache,
  defineExtPillar,
  defineSdb,
  defineTops,
  type ExtPillar,
  type ExtPillarContext,
  type SdbContext,
  type SdbDriver,
  type TopsContext,
  type TopsSource,
} from './external-data.ts'
export { globPaths } from './glob.ts'
export {
  HINTS,
  type Hint,
  HintList,
  hintAbout,
  hintKey,
  hintsValue,
  type PlacedMessage,
  readHints,
  shownPlace,
} from './hints.ts'
export { isTrue } from './is-true.ts'
export { jobRetcode } from './job-retcode.ts'
export { checkLinks, LinkRefused } from './links.ts'
export {
  defineRunner,
  defineWheel,
  type GitRepositories,
  type JobCache,
  type MasterContext,
  type MasterEvents,
  type MasterFunction,
  type MasterModule,
  type MasterStores,
  type MinionPillars,
  masterFn,
} from './master.ts'
export type {
  BusMessage,
  EventStart,
  EventStream,
  MasterFunctionCall,
  MasterOutcome,
  MasterParameters,
  MasterReach,
  MinionJob,
  MinionJobs,
  MinionReturn,
  Published,
  StepMemory,
  StepPlan,
  TargetedMinions,
} from './master-reach.ts'
export { lookUpLater, returnedBy, unreturnedText } from './master-reach.ts'
export { listedOnce, type Synced, type SyncSurroundings, syncModules } from './module-sync.ts'
export { oneLine } from './one-line.ts'
export { operand } from './operand.ts'
export {
  type OrchestrationRequest,
  type Orchestrator,
  type ResumeChoice,
  startsOrchestration,
} from './orchestration.ts'
export { formatOutput } from './output.ts'
export { callSerializer, type NamedSerializer, serializerFor } from './own-serializers.ts'
export {
  baseName,
  dirName,
  exists,
  expandUser,
  expandVariables,
  fileIn,
  isAbsolute,
  isDirectory,
  isFile,
  isLink,
  joinable,
  joinPaths,
  normalPath,
  plainPath,
  realPath,
  textFrom,
} from './paths.ts'
export { pause } from './pause.ts'
export { packOrigins, readOrigins, shownOrigin } from './pillar-origins.ts'
export { askForSecrets, takeSecrets, tellSecrets } from './pillar-secrets.ts'
export { type PlainTemplates, plainTemplates } from './plain-templates.ts'
export { toValue } from './result.ts'
export { defineReturner, type ReturnerFunctions, type ReturnerModule, returnerOptions } from './returner.ts'
export { type Recorded, type Script, scripted } from './scripted.ts'
export {
  deserialize,
  dumpYaml,
  loadYaml,
  loadYamlex,
  SERIALIZER_NAMES,
  SerializerError,
  type SerializerOptions,
  serialize,
  serialized,
} from './serializers.ts'
export { isSshTarget, type SshCall, type SshJobs, type SshReturn } from './ssh.ts'
export {
  defineState,
  reportOn,
  type StateContext,
  type StateDeclaration,
  type StateFunction,
  type StatePlace,
  type StateReturn,
  state,
  stateHooks,
} from './state.ts'
export { chunkTag, INTERNAL_KEYWORDS, REQUISITE_KEYWORDS, REQUISITE_TYPES } from './state-keywords.ts'
export { StatePlaces } from './state-places.ts'
export type { CompiledLow, RenderedHigh, SlsMatches, StateRun, StateRunRequest } from './state-run.ts'
export { isBootedWithSystemd, isSystemdOffline, systemdVersion } from './systemd.ts'
export { beginThorium, isTagMeant, meantEvents, THORIUM_USER, type Thorium, thoriumOf } from './thorium.ts'
export {
  type DriverTrial,
  type SdbTrial,
  type SourceTrial,
  type StateTrial,
  type Trial,
  tryDriver,
  tryExtPillar,
  tryFunction,
  trySdb,
  tryState,
  tryTops,
} from './trial.ts'
export { askWeb, askWebJson, jsonOf, pathInUrl, type WebAnswer, type WebRequest, webUrl } from './web-request.ts'
export {
  type Certificate,
  encodedBytes,
  isSourceFile,
  type RevocationList,
  type SigningRequest,
  sourceBytes,
  sourceCertificate,
  sourceKey,
  type X509,
  x509,
} from './x509.ts'
