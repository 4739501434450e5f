// The options that ask for the REST API: Salt has three servers with options of their own.
import { type Dict, truthy } from '../data/mod.ts'
import { option } from './view.ts'

export const API_KINDS = ['rest_cherrypy', 'rest_tornado', 'rest_wsgi'] as const

export type ApiKind = (typeof API_KINDS)[number]

/** Return whether the options ask for an API. */
export const wantsApi = (opts: Dict): boolean => API_KINDS.some((kind) => (opts.get(kind) ?? null) !== null)

/** Return whether the options ask for metrics of the master, which the API shows. */
export const wantsMetrics = (opts: Dict): boolean => truthy(option(opts, 'metrics').get('enabled') ?? false)
