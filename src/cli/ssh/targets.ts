// The targets of salt-ssh: found in the rosters and reached over SSH. The code for that is loaded when it is needed.
import { str, type Value } from '../../data/mod.ts'
import { targetKind } from '../salt/request.ts'
import { showValue } from '../salt/show.ts'
import type { SshTargets, SshWork } from './work.ts'

const ssh = () => import('../../ssh/mod.ts')

/** Return the context for reading rosters. */
function reading({ opts, log, access: { host, stores } }: SshWork) {
  return { opts, log, host, cache: stores.cache, keys: stores.keys }
}

export const overSsh: SshTargets = {
  async find(work) {
    const { ensureDefaultKey, rosterTargets } = await ssh()
    const { opts, access } = work
    const entries = await rosterTargets({ ...reading(work), tgt: opts.get('tgt')!, tgtType: targetKind(opts) })
    await ensureDefaultKey(opts, access.host)
    return entries
  },
  async run(parts, entries, request) {
    return (await ssh()).runSshJob(parts, entries, request)
  },
  async installKey({ opts, log }, entry, password) {
    await (await ssh()).installKey({ opts, log }, entry, password)
  },
}

/** `-H`: the machines that the rosters name, with their addresses. */
export async function listHosts(work: SshWork): Promise<number> {
  const hosts = await (await ssh()).rosterHosts(reading(work))
  const shown = new Map<Value, Value>([...hosts].map(([file, byId]) => [str(file), new Map<Value, Value>(byId)]))
  await showValue(work, shown, 'nested', 0)
  return 0
}
