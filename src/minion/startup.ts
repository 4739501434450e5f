// The job of a minion at its start: `startup_states`.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, type Value } from '../data/mod.ts'

/** Return the job of `startup_states`, if any. The master assigns its job id when the return arrives. */
export function startupJob(opts: Dict, log: Log): Dict | undefined {
  const kind = option(opts, 'startup_states')
  if (kind === '') return undefined
  if (opts.get('master_type') === 'disable' && option(opts, 'file_client') === 'remote') {
    log(
      'warning',
      "Cannot run startup_states when 'master_type' is set to 'disable' and 'file_client' is set to 'remote'. Skipping.",
    )
    return undefined
  }
  const [fun, arg]: [string, Value[]] =
    kind === 'sls'
      ? ['state.sls', [option(opts, 'sls_list')]]
      : kind === 'top'
        ? ['state.top', [option(opts, 'top_file')]]
        : ['state.highstate', []]
  return dictFrom({ jid: 'req', ret: option(opts, 'ext_job_cache'), fun, arg })
}
