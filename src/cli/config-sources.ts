// What programs hand to the reading of configuration files: how `sdb://` URIs are fetched, and how files that are templates are
// rendered. Most sites have neither, so the code behind both is loaded when the first one is met.
import type { ConfigRenderer, FetchSdb } from '../config/mod.ts'

const fetchSdb: FetchSdb = async (...request) => (await import('../pybridge/mod.ts')).fetchSdb(...request)

const render: ConfigRenderer = async (template, opts) => (await import('../minion/mod.ts')).renderConfig(template, opts)

export const configSources = { fetchSdb, render }
