// Hosts that a function of the master bootstraps. A caller from outside names hosts of the rosters, and neither files nor programs.
import { join } from 'node:path'
import { wrapLog } from '../../base/mod.ts'
import { LocalClient } from '../../client/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, failure, HiddenTexts, misuse, secretTexts, str } from '../../data/mod.ts'
import type { MasterAccess } from '../../runner/mod.ts'
import type { BootstrapOutcome, BootstrapRequest } from '../../sdk/mod.ts'
import { callerOptions, rosterTargets } from '../../ssh/mod.ts'
import type { BootstrapSite } from './host.ts'
import { bootstrapHosts, hostsOf } from './hosts.ts'
import { readMasterFacts } from './master.ts'
import { ownPackage } from './own-package.ts'
import { readPackage } from './package.ts'

/** Put minions on hosts. `signal` ends the work, and keys of minions that do not answer yet are not accepted any more. */
export async function bootstrapForMaster(
  access: MasterAccess,
  request: BootstrapRequest,
  signal: AbortSignal,
): Promise<BootstrapOutcome[]> {
  const { isFromOutside, packages, timeout } = request
  if (isFromOutside) refuseFiles(request)
  // not marked for the whole process: otherwise callers could choose what logs mask
  const hidden = new HiddenTexts()
  hidden.add(secretTexts(request.options.get('ssh_passwd') ?? null, true))
  const log = wrapLog(access.log, (inner) => (level, text) => inner(level, hidden.mask(text)))
  const opts: Dict = new Map([...access.opts, ...takenOptions(access, request)])
  const { host, stores } = access
  const reading = { opts, log, host, cache: stores.cache, keys: stores.keys, isInRoster: isFromOutside }
  const where = isFromOutside ? 'is not in the roster' : 'is neither in the roster nor a name that can be resolved'
  const entries = await hostsOf(
    request.hosts,
    (tgt) => rosterTargets({ ...reading, tgt, tgtType: 'glob' }),
    (shown) => failure(`${shown} ${where}`),
  )
  const pack =
    packages.length > 0
      ? await readPackage(packages, option(opts, 'package_keyring') || undefined)
      : await ownPackage(host, join(option(opts, 'cachedir'), 'bootstrap'))
  const master = await readMasterFacts(opts, host, request.master)
  await assertMasterRuns(access)
  const site: BootstrapSite = {
    ...{ access, opts, master, package: pack, log, signal, timeout },
    ...{ id: undefined, isTest: false, isForced: false },
  }
  const outcomes: BootstrapOutcome[] = []
  await bootstrapHosts(site, entries, (outcome) => outcomes.push({ ...outcome, text: hidden.mask(outcome.text) }))
  return outcomes
}

/** Throw for files that a caller without the rights of the master's owner may not name. */
function refuseFiles({ packages, master, options }: BootstrapRequest): void {
  const named: Array<[name: string, isGiven: boolean]> = [
    ['package', packages.length > 0],
    ['master', master !== undefined],
    ['ssh_priv_key', options.has('ssh_priv')],
  ]
  for (const [name, isGiven] of named) {
    if (isGiven) throw misuse(`'${name}' cannot be given by a caller of the API: the master's owner sets it`)
  }
}

/** Return the options of the call. An option that salt-ssh does not accept is an error. */
function takenOptions({ opts, log }: MasterAccess, { options, isFromOutside }: BootstrapRequest): Dict {
  const taken = callerOptions(opts, options, { isOwner: !isFromOutside }, log)
  for (const name of options.keys()) {
    if (!taken.has(name)) throw misuse(`The value of the option ${str(name)} cannot be used`)
  }
  return taken
}

/** Refuse to begin while the master does not run: it could not see the minion. */
async function assertMasterRuns({ opts, log }: MasterAccess): Promise<void> {
  try {
    ;(await LocalClient.open(opts, log)).close()
  } catch (error) {
    log('debug', String(error))
    throw failure('The salt master could not be contacted. Is master running?')
  }
}
