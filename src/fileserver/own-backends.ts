// Backends from users' own files and extensions. The room that runs them is later in the list of rooms, so programs pass it in.
import type { Log } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { FileBackend } from './backend.ts'

/** Return a backend that is not built in; undefined if no file or extension has one of that name. */
export type OwnBackends = (name: string, opts: Dict, host: Host, log: Log) => FileBackend | undefined

/** Loads the code for them, which few sites need. */
export type LoadOwnBackends = () => Promise<OwnBackends>
