// What a minion runs when it has started: `startup_states`.
import type { Log } from '../base/mod.ts'
import { type Dict, textOf, type Value } from '../data/mod.ts'

/** The job of `startup_states`, if there is one. Its return finds its number on the master. */
export function startupJob(opts: Dict, log: Log): Dict | undefined {
  const kind = textOf(opts.get('startup_states') ?? null) ?? ''
  if (kind === '') return undefined
  if (opts.get('master_type') === 'disable' && (opts.get('file_client') ?? 'remote') === 'remote') {
    log(
      'warning',
      "Cannot run startup_states when 'master_type' is set to 'disable' and 'file_client' is set to 'remote'. Skipping.",
    )
    return undefined
  }
  const [fun, arg]: [string, Value[]] =
    kind === 'sls'
      ? ['state.sls', [opts.get('sls_list') ?? []]]
      : kind === 'top'
        ? ['state.top', [opts.get('top_file') ?? '']]
        : ['state.highstate', []]
  return new Map<Value, Value>([
    ['jid', 'req'],
    ['ret', opts.get('ext_job_cache') ?? ''],
    ['fun', fun],
    ['arg', arg],
  ])
}
