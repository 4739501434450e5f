// Files for minions: the roots of this machine, and the client that lists, hashes and caches them.
export type { FetchOptions, FileClient, FileSum } from './file-client.ts'
export { FileServer, type FoundFile } from './file-server.ts'
export { KnownHashes } from './known-hashes.ts'
export { LocalFileClient } from './local-client.ts'
export { type AskMaster, RemoteFileClient } from './remote-client.ts'
export { type FileBackend, type FolderEntry, isPlainEnv, type Listing, Roots, type ServedFile } from './roots.ts'
export { localPlace, servedUrl } from './served-place.ts'
