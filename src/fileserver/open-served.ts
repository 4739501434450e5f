// The files of a program that serves itself. Most such programs have the backend `roots` alone, so the code of the others is loaded
// only where they are wanted.
import { type Log, silentLog } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { isBuiltIn } from './names.ts'
import type { LoadOwnBackends } from './own-backends.ts'
import { Roots } from './roots.ts'
import { ServedFiles, wantedBackends } from './served-files.ts'

export async function openServedFiles(
  opts: Dict,
  host: Host,
  log: Log = silentLog,
  loadOwn?: LoadOwnBackends,
): Promise<ServedFiles> {
  const wanted = wantedBackends(opts)
  if (wanted.every((name) => name === 'roots')) return new ServedFiles(opts, log, () => new Roots(opts, host))
  const { FileServer } = await import('./file-server.ts')
  return new FileServer(opts, host, log, wanted.every(isBuiltIn) ? undefined : await loadOwn?.())
}
