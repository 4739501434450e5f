// Logs the installed Salt extensions at the start of a daemon: their names, and the parts that nothing here loads.
import type { Log } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import { installedExtensions } from '../python/mod.ts'

const OF_SPM = 'spm, which uses them, is not part of Brine'

/** Kinds of Salt's loader that Brine does not load, with the reason. */
const NOT_LOADED: ReadonlyMap<string, string> = new Map([
  ['metaproxy', 'salt-proxy has only proxy and deltaproxy'],
  ['pkgdb', OF_SPM],
  ['pkgfiles', OF_SPM],
])

export function reportExtensions(opts: Dict, log: Log): void {
  const extensions = installedExtensions(opts, log)
  if (extensions.length === 0) return
  log('info', `Salt extensions: ${extensions.map(({ name, version }) => `${name} ${version}`).join(', ')}`)
  const unused = new Map<string, string[]>()
  for (const { name, folders } of extensions) {
    for (const kind of folders.keys()) {
      const reason = NOT_LOADED.get(kind)
      if (reason !== undefined) unused.set(reason, [...(unused.get(reason) ?? []), `${kind} of ${name}`])
    }
  }
  const parts = [...unused].map(([reason, names]) => `${names.join(', ')} (${reason})`)
  if (parts.length > 0) log('warning', `Brine does not load these parts of Salt extensions: ${parts.join('; ')}`)
}
