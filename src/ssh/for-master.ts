// Jobs of salt-ssh that a function of the master, an orchestration or the API begins.
import { option } from '../config/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import type { SshCall, SshReturn } from '../sdk/mod.ts'
import { callerOptions } from './caller-options.ts'
import { sshAnswers, sshTargets } from './job.ts'
import { literalWord } from './mine-function.ts'
import type { SshJobRequest, SshParts } from './parts.ts'

/** The connection settings in a call. */
type Asked = Pick<SshCall, 'options' | 'timeout' | 'isFromOutside' | 'isInRoster'>

/** Run a function with the rights of the master's owner. `signal` aborts the commands on the targets. */
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
  call: Pick<SshCall, 'tgt' | 'tgtType'> & Asked,
): Promise<string[]> {
  const { tgt, tgtType = 'glob' } = call
  return (await sshTargets(partsOf(access, call), { tgt, tgtType, isInRoster: isBound(call) })).map(({ id }) => id)
}

function partsOf(master: MasterAccess, call: Asked, signal?: AbortSignal): SshParts {
  const { log, stores } = master
  const { options = new Map(), timeout, isFromOutside = false } = call
  const taken = callerOptions(master.opts, options, { isOwner: !isFromOutside }, log)
  const opts: Dict = new Map([...master.opts, ...taken])
  if (timeout !== undefined) opts.set('timeout', timeout)
  const fire = (tag: string, data: Dict): Promise<void> => master.fire(tag, data)
  return { opts, log, stores, fire, master, ...(signal && { signal }) }
}

/** Callers of the API reach machines of rosters only. */
const isBound = ({ isInRoster = false, isFromOutside = false }: Asked): boolean => isInRoster || isFromOutside

function requestOf({ opts }: MasterAccess, call: SshCall): SshJobRequest {
  const { tgt, tgtType = 'glob', fun, arg = [], kwarg, jid, user = option(opts, 'user'), isRaw } = call
  const keywords: Value[] = kwarg && kwarg.size > 0 ? [new Map<Value, Value>([['__kwarg__', true], ...kwarg])] : []
  return {
    tgt,
    tgtType,
    fun,
    words: [...(call.isLiteral ? arg.map(literalWord) : arg), ...keywords],
    user,
    isInRoster: isBound(call),
    isFromOutside: call.isFromOutside ?? false,
    isPublished: call.isPublished ?? false,
    ...(isRaw && { raw: [fun, ...arg].map(str).join(' ') }),
    ...(jid !== undefined && { jid }),
  }
}
