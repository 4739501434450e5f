// Places in files of the file server, for output. A minion knows its cached copy of a file, but the user edits the
// original. The minion therefore sends the URL of the file, and only the master's machine converts the URL to a path
// below its roots.
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
    const { openServedFiles } = await import('./open-served.ts')
    const found = await (await openServedFiles(opts, host)).find(path, saltenv, 'roots')
    return found ? `${found.path}:${line}` : place
  })
}
