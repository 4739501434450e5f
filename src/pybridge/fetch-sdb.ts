// The values of `sdb://` URIs outside of functions: in options and rosters.
import type { FetchSdb } from '../config/mod.ts'
import { plainFunctions } from './plain-functions.ts'

/** Return the value of a URI whose profile is in the options. */
export const fetchSdb: FetchSdb = async (uri, opts, log) =>
  (await plainFunctions(opts, log)).call('sdb.get', [uri], new Map())
