// Requests on a minion's bus that concern its master: forward events, beacons, mine data and returns of scheduled jobs,
// and change the master when it is lost or the first one is back.
import { type Log, toError } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../data/mod.ts'
import { loseMaster } from './master-watch.ts'
import type { MasterPeer } from './peer.ts'

type Duty = (data: Dict) => Promise<void>

/** Start listening; return a function that stops it. */
export function listenForDuties(bus: EventBus, peer: MasterPeer, log: Log): () => void {
  const duties = new Map<string, Duty>([
    ['fire_master', (data) => passOn(peer, data)],
    ['_minion_mine', async (data) => void (await peer.ask(new Map(data)))],
    ['_salt_error', (data) => peer.fireMaster('_salt_error', data)],
    ['__beacons_return', (data) => peer.fireEvents(data.get('beacons') ?? [])],
    ['__schedule_return', async (data) => peer.send(withoutStamp(data))],
    ['environ_setenv', async (data) => setEnvironment(data)],
    ['__master_disconnected', (data) => lose(peer, data, log)],
    ['__master_failback', (data) => goBack(peer, data, log)],
  ])
  return bus.listen(
    ({ tag, data }) => {
      duties.get(tag)!(data).catch((error: unknown) => log('error', `${tag} failed: ${toError(error).message}`))
    },
    (tag) => duties.has(tag),
  )
}

async function passOn(peer: MasterPeer, data: Dict): Promise<void> {
  if (!peer.connected) return
  const events = data.get('events') ?? null
  if (truthy(events)) return peer.fireEvents(events)
  const tag = data.get('tag') ?? null
  if (truthy(tag))
    await peer.fireMaster(str(tag), data.get('data') ?? new Map(), [['pretag', data.get('pretag') ?? null]])
}

const withoutStamp = (data: Dict): Dict =>
  new Map([...data].filter(([name]) => !['_stamp', 'cmd', 'id'].includes(str(name))))

/** Set the environment of the commands of later jobs, for `environ.setenv update_minion=True`. */
function setEnvironment(data: Dict): void {
  const environ = data.get('environ') ?? null
  if (!isDict(environ)) return
  if (truthy(data.get('clear_all') ?? false)) {
    for (const name of Object.keys(process.env)) if (!environ.has(name)) delete process.env[name]
  }
  for (const [name, value] of environ) {
    if (value === false && truthy(data.get('false_unsets') ?? false)) delete process.env[str(name)]
    else process.env[str(name)] = value === false ? '' : str(value as Value)
  }
}

async function lose(peer: MasterPeer, data: Dict, log: Log): Promise<void> {
  if (str(data.get('master') ?? '') === peer.master) await loseMaster(peer, log)
}

async function goBack(peer: MasterPeer, data: Dict, log: Log): Promise<void> {
  const [first] = peer.group.names
  if (str(data.get('master') ?? '') !== first || first === peer.master || !peer.connected) return
  log('info', `Going back to master ${first}`)
  await peer.moveOn(peer.group.names)
}
