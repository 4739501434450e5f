// Backends from users' own files and extensions. The room that runs these plug-ins registers itself here, because it is
// later in the list of rooms.
import type { Log } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { FileBackend } from './backend.ts'

type MakeOwn = (name: string, opts: Dict, host: Host, log: Log) => FileBackend | undefined

let make: MakeOwn = () => undefined

export function ownBackendsBy(own: MakeOwn): void {
  make = own
}

/** A backend that is not built in; undefined where no file can have one of that name. */
export const ownBackend: MakeOwn = (name, opts, host, log) => make(name, opts, host, log)
