// What programs hand to the reading of configuration files: how `sdb://` URIs are fetched, how files that are templates are rendered, and
// the file server backends of users' own. Most sites have none of them, so the code behind each is loaded when the first one is met.
import { type ConfigRenderer, type FetchSdb, option, type PrepareOptions } from '../config/mod.ts'
import { isList, str } from '../data/mod.ts'

const fetchSdb: FetchSdb = async (...request) => (await import('../pybridge/mod.ts')).fetchSdb(...request)

const render: ConfigRenderer = async (template, opts) => (await import('../minion/mod.ts')).renderConfig(template, opts)

/** Names that no file of users' own provides, so that most sites load nothing. */
const BUILT_IN_BACKENDS = ['roots', 'file', 'gitfs', 'git', 'minionfs', 'minion']

const prepare: PrepareOptions = async (opts) => {
  const named = option(opts, 'fileserver_backend')
  const names = isList(named) ? named.map(str) : [str(named)]
  if (names.some((name) => !BUILT_IN_BACKENDS.includes(name))) (await import('../pybridge/mod.ts')).serveOwnBackends()
}

export const configSources = { fetchSdb, prepare, render }
