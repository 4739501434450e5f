// Files for minions: the backends that serve them, and the client that lists, hashes and caches them.
export {
  type BackendLocks,
  type FileBackend,
  type FolderEntry,
  type FolderListing,
  noFiles,
  type ServedFile,
  type UpdateWish,
} from './backend.ts'
export type { ExpectedFile, FetchOptions, FileClient, FileSum } from './file-client.ts'
export { backendNames, FileServer, type FoundFile, type Tell } from './file-server.ts'
export { folderOf } from './folder-of.ts'
export { KnownHashes } from './known-hashes.ts'
export { LocalFileClient } from './local-client.ts'
export { ManifestBuilder } from './manifest.ts'
export { ownBackendsBy } from './own-backends.ts'
export { PackBuilder } from './packs.ts'
export { type AskMaster, type MasterFiles, RemoteFileClient } from './remote-client.ts'
export { isPlainEnv, Roots, staysBelow } from './roots.ts'
export { localPlace, servedUrl } from './served-place.ts'
