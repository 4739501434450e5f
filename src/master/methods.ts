// The methods of the master for minions; no others can be called. A minion acts only as itself, because the channel
// sets the proven id in the load.
import { isJid, isLogged, StorageError, shownText } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, str, textOf, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { PrivateAnswer, type Sender } from '../wire/mod.ts'
import { receiveFile } from './file-receiver.ts'
import type { FileService } from './file-service.ts'
import { masterOptions } from './master-options.ts'
import type { MineService } from './mine-service.ts'
import { takeMinionEvent } from './minion-events.ts'
import type { MasterParts } from './parts.ts'
import type { Peers } from './peer.ts'
import type { PillarService } from './pillar-service.ts'
import type { Quotas } from './quotas.ts'
import type { ReturnService } from './returns.ts'
import { isTaken } from './signed-messages.ts'
import { takeSyndicReturn } from './syndic-returns.ts'
import { masterTops } from './tops.ts'

/** The services that answer the methods for minions, and a few parts of the master. */
export interface Services
  extends Pick<
    MasterParts,
    | 'opts'
    | 'log'
    | 'keys'
    | 'bus'
    | 'jobs'
    | 'cache'
    | 'storage'
    | 'connections'
    | 'deliveries'
    | 'syndics'
    | 'cluster'
  > {
  files: FileService
  pillars: PillarService
  mine: MineService
  returns: ReturnService
  peers: Peers
  host: Host
  /** Resolves when reactions to events so far are written down; undefined when none has to be. */
  reactionsWritten(): Promise<void> | undefined
  quotas: Quotas
}

type Method = (services: Services, load: Dict, sender: Sender) => unknown

const MINION_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    '_return',
    (services, load) =>
      isOfJob(services, load) &&
      isTaken(services, '_return', load) &&
      services.returns.take(services.quotas.fitted(load)),
  ],
  ['_syndic_return', (services, load) => takeSyndicReturn(services, load)],
  [
    '_minion_event',
    (services, load) => {
      if (!services.quotas.allowsEvents(str(load.get('id') ?? ''), eventsIn(load))) return null
      if (!isTaken(services, '_minion_event', load)) return false
      const answer = takeMinionEvent(services, load)
      if (answer instanceof Promise) return answer
      // a minion sends an event once: the reactions are recorded before the request is confirmed
      const writing = services.reactionsWritten()
      return writing
        ? writing.then(
            () => answer,
            (error: unknown) => unlessStorage(error, answer),
          )
        : answer
    },
  ],
  ['_pillar', async ({ pillars }, load, { id }) => new PrivateAnswer('pillar', id, await pillars.answer(load))],
  [
    '_pillar_origins',
    async ({ pillars }, load, { id }) => new PrivateAnswer('pillar', id, await pillars.origins(load)),
  ],
  [
    '_missed_jobs',
    async ({ deliveries }, load, { id }) =>
      new Map<string, unknown>(Object.entries(await deliveries.missed(id, load.get('mark') ?? null))),
  ],
  ['_serve_file', ({ files }, load) => files.serve(load)],
  ['_file_hash', ({ files }, load) => files.hash(load)],
  ['_file_manifest', ({ files }, load) => files.manifest(load)],
  ['_file_pack', ({ files }, load, { id }) => files.pack(id, load)],
  ['_file_hash_and_stat', ({ files }, load) => files.hashAndStat(load)],
  ['_file_find', ({ files }, load) => files.locate(load)],
  ['_file_list', ({ files }, load) => files.list(load, 'files')],
  ['_dir_list', ({ files }, load) => files.list(load, 'dirs')],
  ['_file_list_emptydirs', ({ files }, load) => files.list(load, 'emptyDirs')],
  ['_symlink_list', ({ files }, load) => files.links(load)],
  ['_file_envs', ({ files }) => files.envs()],
  ['_master_opts', async ({ opts, files }, load) => masterOptions(opts, await files.envs(), load)],
  ['_master_tops', (services, load) => masterTops(services, load)],
  ['_ext_nodes', (services, load) => masterTops(services, load)],
  ['_file_recv', (services, load) => receiveFile(services, load)],
  ['_mine', ({ mine }, load) => mine.store(load)],
  ['_mine_get', ({ mine }, load) => mine.get(load)],
  ['_mine_delete', ({ mine }, load) => mine.delete(load)],
  ['_mine_flush', ({ mine }, load) => mine.flush(load)],
  ['minion_pub', ({ peers }, load) => peers.publish(load)],
  ['minion_publish', ({ peers }, load) => peers.publishAndWait(load)],
  ['pub_ret', ({ peers }, load) => peers.returns(load)],
  ['minion_runner', ({ peers }, load) => peers.runner(load)],
  ['revoke_auth', (services, load) => revokeKey(services, load)],
  // the channel has verified every sender that gets an answer
  ['verify_minion', () => true],
  [
    '_register_resources',
    ({ quotas, returns }, load) =>
      quotas.allowsResources(str(load.get('id')!), load) && returns.resources.register(load),
  ],
])

/** Whether minions may send a command of this name. */
export const isMethod = (name: string): boolean => MINION_METHODS.has(name)

/** Commands that start something and return its id: a repeated request must not start it again. */
const ACTING = new Set<Value>(['minion_pub', 'minion_publish', 'minion_runner'])

export const acts = (load: Dict): boolean => ACTING.has(load.get('cmd') ?? null)

/**
 * Return the answer although the disk refused the record of the reaction: the event was fired, and the reaction runs.
 */
function unlessStorage(error: unknown, answer: unknown): unknown {
  if (error instanceof StorageError) return answer
  throw error
}

const eventsIn = (load: Dict): number => {
  const events = load.get('events') ?? null
  return isList(events) ? events.length : 1
}

/** Words in place of a job id: the master is to choose one, or not to keep the return. */
const WITHOUT_JID = new Set(['req', 'nocache'])

/** Whether a return names a job. A job id becomes part of tags, so nothing else is taken. */
function isOfJob({ log }: Services, load: Dict): boolean {
  const jid = textOf(load.get('jid') ?? null) ?? ''
  if (isJid(jid) || WITHOUT_JID.has(jid)) return true
  log('warning', `Dropped a return of ${str(load.get('id')!)} to what cannot be a job: ${shownText(jid)}`)
  return false
}

/** A minion gives up its own key, where the master lets it. */
function revokeKey({ opts, keys, bus, log }: Services, load: Dict): Value {
  const id = str(load.get('id')!)
  if (!option(opts, 'allow_minion_key_revoke')) {
    log('warning', `Minion ${id} requested key revoke, but allow_minion_key_revoke is set to False`)
    return load
  }
  keys.remove('minions', id)
  const event: Array<[Value, Value]> = [
    ['result', true],
    ['act', 'delete'],
    ['id', id],
  ]
  bus.fire('salt/key', new Map(event))
  return true
}

/** Log a request and its answer, without values, which may be secrets. */
async function traced(services: Services, load: Dict, sender: Sender): Promise<unknown> {
  const name = str(load.get('cmd')!)
  const from = `${shownText(name)} of minion ${shownText(str(load.get('id') ?? ''))}`
  const began = performance.now()
  services.log('trace', `Request ${from}`)
  const answer = await MINION_METHODS.get(name)!(services, load, sender)
  services.log('trace', `Request ${from} was answered after ${(performance.now() - began).toFixed(1)} ms`)
  return answer
}

/** Throw an error of a method; errors of the disk also go to the disk watch. */
function unstored({ storage, opts }: Services, error: unknown): never {
  throw storage.failed(error, option(opts, 'cachedir'))
}

/** Return the answer to a command of a minion; nothing for an unknown command. */
export function callMethod(services: Services, load: Dict, sender: Sender): unknown {
  const name = load.get('cmd')
  const method = typeof name === 'string' ? MINION_METHODS.get(name) : undefined
  if (method) {
    try {
      const answer = isLogged(services.log, 'trace') ? traced(services, load, sender) : method(services, load, sender)
      return answer instanceof Promise ? answer.catch((error: unknown) => unstored(services, error)) : answer
    } catch (error) {
      return unstored(services, error)
    }
  }
  services.log('error', `Requested method not exposed: ${shownText(String(name))}`)
  return new Map<Value, Value>()
}
