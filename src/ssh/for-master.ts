// Jobs of salt-ssh that a function of the master, an orchestration or the API begins.
import { option } from '../config/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import type { SshCall, SshReturn } from '../sdk/mod.ts'
import { sshAnswers, sshTargets } from './job.ts'
import type { SshJobRequest, SshParts } from './parts.ts'

/** Run a function with the rights of the master's owner. `signal` ends what runs on the targets. */
export async function* sshForMaster(
  access: MasterAccess,
  call: SshCall,
  signal?: AbortSignal,
): AsyncGenerator<SshReturn> {
  for await (const { id, full, retcode } of sshAnswers(partsOf(access, call, signal), requestOf(access, call))) {
    yield { id, answer: full, retcode }
  }
}

/** The ids of the targets that rosters have for an expression. */
export async function targetsForMaster(
  access: MasterAccess,
  call: Pick<SshCall, 'tgt' | 'tgtType' | 'options'>,
): Promise<string[]> {
  const { tgt, tgtType = 'glob' } = call
  return (await sshTargets(partsOf(access, call), { tgt, tgtType })).map(({ id }) => id)
}

function partsOf(
  master: MasterAccess,
  { options, timeout }: Pick<SshCall, 'options' | 'timeout'>,
  signal?: AbortSignal,
): SshParts {
  const opts: Dict = new Map([...master.opts, ...(options ?? [])])
  if (timeout !== undefined) opts.set('timeout', timeout)
  const { log, stores } = master
  const fire = (tag: string, data: Dict): Promise<void> => master.fire(tag, data)
  return { opts, log, stores, fire, master, ...(signal && { signal }) }
}

function requestOf(
  { opts }: MasterAccess,
  { tgt, tgtType = 'glob', fun, arg = [], kwarg, jid }: SshCall,
): SshJobRequest {
  const keywords: Value[] = kwarg && kwarg.size > 0 ? [new Map<Value, Value>([['__kwarg__', true], ...kwarg])] : []
  return {
    tgt,
    tgtType,
    fun,
    words: [...arg, ...keywords],
    user: option(opts, 'user'),
    ...(jid !== undefined && { jid }),
  }
}
