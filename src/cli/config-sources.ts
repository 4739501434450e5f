// Plug-ins for reading configuration files: fetching of `sdb://` URIs, rendering of templates, and users' own file
// server backends. Few sites need them, so the code of each is loaded at first use.
import { type ConfigRenderer, type FetchSdb, option, type PrepareOptions } from '../config/mod.ts'
import { isList, str } from '../data/mod.ts'
import { backendNames } from '../fileserver/mod.ts'

const fetchSdb: FetchSdb = async (...request) => (await import('../pybridge/mod.ts')).fetchSdb(...request)

const render: ConfigRenderer = async (template, opts) => (await import('../minion/mod.ts')).renderConfig(template, opts)

const prepare: PrepareOptions = async (opts) => {
  const named = option(opts, 'fileserver_backend')
  const names = isList(named) ? named.map(str) : [str(named)]
  if (names.some((name) => !backendNames.includes(name))) (await import('../pybridge/mod.ts')).serveOwnBackends()
}

export const configSources = { fetchSdb, prepare, render }
