// Keeping a master's data and its programs over time: backups, restores, and upgrades.
export { masterAreas } from './areas.ts'
export { type BackupReport, backUp } from './backup.ts'
export { isMasterRunning } from './beginning.ts'
export {
  abandonDebUpgrade,
  checkMachine,
  DEB_PREFIX,
  type DebProgress,
  debProgress,
  isPackaged,
  stageDebs,
  startDebUpgrade,
} from './deb-upgrade.ts'
export { UpkeepError } from './errors.ts'
export { finishExchange, readExchangePlan, takeBack } from './exchange.ts'
export { launchMinion } from './launcher.ts'
export type { Manifest } from './manifest.ts'
export { ownerNames } from './owners.ts'
export { ownRelease, type Release, releaseIn } from './release.ts'
export { restore, verifyArchive } from './restore.ts'
export { checkSignature, signaturePath } from './signature.ts'
export { LAUNCHER, startSupervisor, supervise } from './supervisor.ts'
export { type TrialRequest, UpgradeTrial } from './trial.ts'
export { checkUpgrade, type UpgradeReport } from './upgrade-check.ts'
export {
  checkPrefix,
  currentVersion,
  hashOf,
  type Installed,
  installedAs,
  keepOnly,
  makeCurrent,
  releaseOf,
  stageVersion,
  versionFolder,
} from './versions.ts'
