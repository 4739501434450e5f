// A job on targets without minions: the targets of the roster, a bounded number at a time. The job and its returns are
// in the job store and on the bus of the master, like those of minions.
import { newJid, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, isDict, SaltError, type Value } from '../data/mod.ts'
import { LocalHost, sshRuntimeFolder } from '../host/mod.ts'
import { currentTraceparent, inSpan } from '../telemetry/mod.ts'
import type { SshAnswer } from './answer.ts'
import { answerOf } from './call.ts'
import type { NumberedRequest, SshJobRequest, SshParts } from './parts.ts'
import { inPool } from './pool.ts'
import { ensureDefaultKey, type RosterEntry, rosterTargets } from './roster/mod.ts'

export interface SshJob {
  jid: string
  answers: AsyncIterable<SshAnswer>
}

/** Run a function on targets; yield the answers as they are ready. */
export function runSshJob(parts: SshParts, targets: readonly RosterEntry[], request: SshJobRequest): SshJob {
  const { opts } = parts
  const jid = request.jid ?? newJid(option(opts, 'unique_jid'))
  return { jid, answers: answersOf(parts, targets, { ...request, jid }) }
}

const RAW = 'ssh._raw'

const MOST_AT_ONCE = 25

/** On how many targets of a job a shell waits for the next program: each needs three processes on this machine. */
const MOST_SHELLS = 5

async function* answersOf(
  parts: SshParts,
  targets: readonly RosterEntry[],
  request: NumberedRequest,
): AsyncGenerator<SshAnswer> {
  const { stores, log, opts } = parts
  const { jid, raw, tgt, tgtType, user } = request
  const fun = raw === undefined ? request.fun : RAW
  const load: Dict = new Map<Value, Value>([
    ['jid', jid],
    ['tgt_type', tgtType],
    ['tgt', tgt],
    ['user', user],
    ['fun', fun],
    ['arg', raw === undefined ? [...request.words] : [raw]],
  ])
  const published = publish(parts, targets, request, load)
  // callers that await it get the error
  published.catch(() => {})
  const runtimeDir = sshRuntimeFolder(option(opts, 'sock_dir'))
  const leavesShell = targets.length <= MOST_SHELLS
  const answers = inPool(targets, option(opts, 'ssh_max_procs') ?? MOST_AT_ONCE, (entry) =>
    traced({ id: entry.id, fun, jid }, () =>
      answerOf({ ...parts, runtimeDir, leavesShell, published, runCommand: sshCommand }, entry, request),
    ),
  )
  for await (const answer of answers) {
    await published
    const data = returnData(answer, load)
    await stores.jobs.saveReturn({ jid, id: answer.id, data: keptData(answer, load) })
    await announce(parts, `salt/job/${jid}/ret/${answer.id}`, data)
    log('debug', `Target ${answer.id} answered job ${jid} with status ${answer.retcode}`)
    yield answer
  }
  await published
}

/** Store the job and fire its event, while the first connections are opened. */
async function publish(
  parts: SshParts,
  targets: readonly RosterEntry[],
  { jid, isPublished }: NumberedRequest,
  load: Dict,
): Promise<void> {
  if (isPublished) return
  // requests to targets from this turn are sent in the next one
  for (let turn = 0; turn < 2; turn++) await new Promise((done) => setImmediate(done))
  const minions = targets.map(({ id }) => id)
  parts.stores.jobs.saveJob({ jid, load, minions })
  await announce(parts, `salt/job/${jid}/new`, new Map<Value, Value>([...load, ['minions', minions]]))
}

/** Run the call on a target in a span, where the job is traced. */
function traced(
  { id, fun, jid }: { id: string; fun: string; jid: string },
  run: () => Promise<SshAnswer>,
): Promise<SshAnswer> {
  return inSpan(
    () => ({
      name: `salt.ssh.call.${fun}`,
      kind: 'client',
      attributes: { 'salt.minion.id': id, 'salt.fun': fun, 'salt.jid': jid },
      failure: ({ retcode }) => (retcode === 0 ? undefined : `exit status ${retcode}`),
    }),
    run,
  )
}

/** Return the data of a return's event: the target's answer, with the fields of the job. */
function returnData({ id, full, shown, retcode }: SshAnswer, load: Dict): Dict {
  const known: Dict = isDict(full) ? new Map(full) : new Map<Value, Value>([['return', full]])
  const given: Array<[string, Value]> = [
    ['id', id],
    ['fun', load.get('fun')!],
    ['fun_args', load.get('arg')!],
    ['retcode', retcode],
    ['success', retcode === 0],
    ['return', isDict(full) ? ((retcode === 0 ? full.get('stdout') : full.get('stderr')) ?? shown) : shown],
  ]
  for (const [name, value] of given) if (!known.has(name)) known.set(name, value)
  return known.set('jid', load.get('jid')!)
}

/** Return the data for the job store: as in Salt, the whole answer is the return. */
function keptData({ id, full, retcode }: SshAnswer, load: Dict): Dict {
  const data = dictFrom({ jid: load.get('jid')!, id, return: full, fun: load.get('fun')! })
  return retcode === 0 ? data : data.set('failed', true)
}

/** Fire an event, if a master runs. */
async function announce({ fire, log }: SshParts, tag: string, data: Dict): Promise<void> {
  try {
    const trace = currentTraceparent()
    await fire(tag, trace === undefined ? data : new Map(data).set('traceparent', trace))
  } catch (error) {
    log('debug', `The event ${tag} was not fired: ${toError(error).message}`)
  }
}

/** Limit of nested jobs, such as `mine.get` of a function that itself calls `mine.get`. */
const DEEPEST = 10

/** Find the targets that an expression means. */
export async function sshTargets(
  { opts, log, stores }: SshParts,
  { tgt, tgtType, isInRoster = false }: Pick<SshJobRequest, 'tgt' | 'tgtType' | 'isInRoster'>,
): Promise<RosterEntry[]> {
  const host = new LocalHost({ cache: option(opts, 'cachedir') })
  const entries = await rosterTargets({
    opts,
    log,
    host,
    cache: stores.cache,
    keys: stores.keys,
    tgt,
    tgtType,
    isInRoster,
  })
  if (entries.length > 0) await ensureDefaultKey(opts, host)
  return entries
}

/** Run a function on the targets of the request; yield the answers as they are ready. */
export async function* sshAnswers(parts: SshParts, request: SshJobRequest): AsyncGenerator<SshAnswer> {
  const depth = (parts.depth ?? 0) + 1
  if (depth > DEEPEST) {
    throw new SaltError('CommandExecutionError', `salt-ssh recursion depth limit exceeded (${DEEPEST})`)
  }
  const targets = await sshTargets(parts, request)
  if (targets.length === 0) parts.log('error', 'No matching targets found in roster.')
  yield* runSshJob({ ...parts, depth }, targets, request).answers
}

/** Run a function on the targets that the request means, and return all answers by id. */
export async function sshCommand(parts: SshParts, request: SshJobRequest): Promise<Map<string, SshAnswer>> {
  const answers = new Map<string, SshAnswer>()
  for await (const answer of sshAnswers(parts, request)) answers.set(answer.id, answer)
  return answers
}
