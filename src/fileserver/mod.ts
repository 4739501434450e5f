// Files for minions: the backends that serve them, and the client that lists, hashes and caches them.
export {
  type BackendLocks,
  type FileBackend,
  type FolderEntry,
  type FolderListing,
  noFiles,
  type ServedFile,
  type UpdateRequest,
} from './backend.ts'
export type { ExpectedFile, FetchOptions, FileClient, FileSum } from './file-client.ts'
export { FileServer } from './file-server.ts'
export { folderOf } from './folder-of.ts'
export { KnownHashes } from './known-hashes.ts'
export { LocalFileClient } from './local-client.ts'
export { ManifestBuilder, Manifests } from './manifest.ts'
export { backendNames } from './names.ts'
export { openServedFiles } from './open-served.ts'
export type { LoadOwnBackends, OwnBackends } from './own-backends.ts'
export { PackBuilder, Packs } from './packs.ts'
export { type AskMaster, type MasterFiles, packIn, packRequest, RemoteFileClient } from './remote-client.ts'
export { isPlainEnv, Roots, staysBelow } from './roots.ts'
export { type FoundFile, LONGEST_PATH, type ServedFiles, type Tell } from './served-files.ts'
export { localPlace, servedUrl } from './served-place.ts'
export { SharedWork } from './shared-work.ts'
