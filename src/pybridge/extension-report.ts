// What a daemon says at its start of the Salt extensions that are installed: their names, and the parts of them that nothing here
// loads.
import type { Log } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import { installedExtensions } from '../python/mod.ts'

/** Kinds of Salt's loader that have no host here, with the words for them. */
const WITHOUT_HOST: ReadonlyMap<string, string> = new Map([
  ['log_handlers', 'log handlers'],
  ['metaproxy', 'kinds of proxy minions'],
  ['pkgdb', 'databases of SPM'],
  ['pkgfiles', 'file stores of SPM'],
  ['proxy', 'proxy modules'],
])

export function reportExtensions(opts: Dict, log: Log): void {
  const extensions = installedExtensions(opts, log)
  if (extensions.length === 0) return
  log('info', `Salt extensions: ${extensions.map(({ name, version }) => `${name} ${version}`).join(', ')}`)
  const unused = extensions.flatMap(({ name, folders }) =>
    [...folders.keys()].flatMap((kind) => (WITHOUT_HOST.has(kind) ? [`${WITHOUT_HOST.get(kind)} of ${name}`] : [])),
  )
  if (unused.length > 0) log('warning', `Parts of Salt extensions that Brine does not load: ${unused.join(', ')}`)
}
