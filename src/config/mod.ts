export { API_KINDS, type ApiKind, wantsApi } from './api-options.ts'
export type { OptionProblem } from './check.ts'
export {
  type CloudFiles,
  type CloudProfile,
  type CloudProvider,
  cloudConfigFolder,
  readCloudFiles,
} from './cloud.ts'
export { type EffectiveOption, effectiveOptions, shownValue } from './effective.ts'
export { ConfigError, type ConfigErrorCode } from './errors.ts'
export { globFiles } from './glob.ts'
export { checkLogging, logLevelNumber, type SyslogAddress, syslogAddress } from './log-options.ts'
export {
  clientConfig,
  isForClients,
  isMasterOption,
  MASTER_CONFIG,
  type MasterConfigRequest,
  masterConfig,
  masterDefaults,
  syndicMasterConfig,
} from './master.ts'
export { MINION_CONFIG, type MinionConfigRequest, minionConfig, minionDefaults, PROXY_CONFIG } from './minion.ts'
export { defaultOf, isFor, type Option, type OptionTable, type Role, typesOf } from './option.ts'
export { FUNCTION_OPTIONS, functionDefaults, THEMES } from './options.ts'
export { expandRoots } from './paths.ts'
export { optionProblems } from './problems.ts'
export { isRegularFile, readConfigFile } from './read-file.ts'
export { type FetchSdb, fetchedSdb, type SdbPlace, sdbPlace, withFetched } from './sdb.ts'
export { noteTemplateSecrets, placeOfOption, sourcesOf, templateSecrets, withoutTemplateSecrets } from './source.ts'
export type { ConfigRenderer, ConfigTemplate, RenderedConfig } from './templates.ts'
export { type OptionName, type OptionValue, option, rawOption } from './view.ts'
