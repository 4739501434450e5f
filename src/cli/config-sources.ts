// Plug-ins for reading configuration files: fetching of `sdb://` URIs and rendering of templates. Few sites need them, so the
// code of each is loaded at first use.
import type { ConfigRenderer, FetchSdb } from '../config/mod.ts'

const fetchSdb: FetchSdb = async (...request) => (await import('../pybridge/mod.ts')).fetchSdb(...request)

const render: ConfigRenderer = async (template, opts) => (await import('../minion/mod.ts')).renderConfig(template, opts)

export const configSources = { fetchSdb, render }
