// Git repositories: one bare mirror of each below the cache, read by object ids.
export { type GitAddress, parseAddress } from './address.ts'
export { checkOut } from './checkout.ts'
export {
  type ConfiguredRemote,
  configuredRemotes,
  failedToLoad,
  type GitRole,
  isKnownProvider,
  packedEnvironments,
  type RefType,
  type RoleRules,
} from './configured.ts'
export { GitError, type GitErrorCode } from './errors.ts'
export { LockFiles, type LockType } from './lock-files.ts'
export { GitMirror, type MirrorStatus, type MirrorUpdateOptions, mirrorOf, removeForgottenMirrors } from './mirror.ts'
export { type GitObject, GitObjects, type ObjectType } from './objects.ts'
export { type GitCommit, GitRefs } from './refs.ts'
export { BRANCHES_REFSPEC, type GitRemote, plainRemote, TAGS_REFSPEC } from './remote.ts'
export { fetchFailure, type MappedRemote, writeRemoteMap } from './remote-map.ts'
export { userVariables } from './run-git.ts'
export { type EntryKind, GitTrees, type TreeEntry } from './trees.ts'
