// Files for minions: the backends that serve them, and the client that lists, hashes and caches them.
export type { BackendLocks, FileBackend, FolderEntry, Listing, ServedFile } from './backend.ts'
export type { FetchOptions, FileClient, FileSum } from './file-client.ts'
export { FileServer, type FoundFile, type Tell } from './file-server.ts'
export { KnownHashes } from './known-hashes.ts'
export { LocalFileClient } from './local-client.ts'
export { type AskMaster, RemoteFileClient } from './remote-client.ts'
export { isPlainEnv, Roots } from './roots.ts'
export { localPlace, servedUrl } from './served-place.ts'
