// The options that enable the REST API: Salt has three servers with separate options.
import type { Dict } from '../data/mod.ts'

export const API_KINDS = ['rest_cherrypy', 'rest_tornado', 'rest_wsgi'] as const

export type ApiKind = (typeof API_KINDS)[number]

/** Return whether the options ask for an API. */
export const wantsApi = (opts: Dict): boolean => API_KINDS.some((kind) => (opts.get(kind) ?? null) !== null)
