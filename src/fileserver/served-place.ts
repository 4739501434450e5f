// Places in files of the file server, as people are shown them. A minion knows its own copy of a file; the person who edits
// the file wants the original. The minion therefore names the file by its URL, and only the master's machine turns the URL
// into a path, among its own roots.
import { recover } from '../base/mod.ts'
import { type Dict, makeSaltUrl, parseSaltUrl } from '../data/mod.ts'
import { type Host, isHostError } from '../host/mod.ts'
import { isPlainEnv } from './roots.ts'

/** Return the URL of the file behind a copy in a minion's cache; any other path is returned as it is. */
export function servedUrl(file: string, cachedir: string): string {
  const cache = `${cachedir.replace(/\/+$/, '')}/files/`
  if (cachedir === '' || !file.startsWith(cache)) return file
  const [saltenv = '', ...path] = file.slice(cache.length).split('/')
  return makeSaltUrl(path.join('/'), saltenv === 'base' ? undefined : saltenv)
}

const PLACE = /^(salt:\/\/.+):(\d+)$/

/** Return a place (`salt://path:line`) with the path on this machine, where the file is in its roots. */
export async function localPlace(place: string, opts: Dict, host: Host): Promise<string> {
  const [, url, line] = PLACE.exec(place) ?? []
  if (url === undefined) return place
  const { path, saltenv = 'base' } = parseSaltUrl(url)
  if (!isPlainEnv(saltenv)) return place
  // if the user of this program may not read the file roots, show the URL
  return recover(isHostError, place, async () => {
    // only places of the file server need it
    const { FileServer } = await import('./file-server.ts')
    const found = await new FileServer(opts, host).find(path, saltenv, 'roots')
    return found ? `${found.path}:${line}` : place
  })
}
