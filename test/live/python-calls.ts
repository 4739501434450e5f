// Steps that were recorded through Salt's Python clients, done by the commands that those clients send.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../src/base/mod.ts'
import { type Dict, fromPlain, isDict, toPlain, type Value } from '../../src/data/mod.ts'
import { ClearClient, openTransport } from '../../src/wire/mod.ts'
import type { Cluster } from './cluster.ts'
import type { Json, Scenario } from './scenario.ts'

const PUB = /^LocalClient\.pub as user (\S+): tgt=(\S+) \((\w+)\) fun=(\S+) arg=(\[.*\])$/
const WHEEL = /^WheelClient\.cmd_sync fun=(\S+) eauth=(\S+) username=(\S+)$/

/** The arguments of functions in the recordings, if they need any. */
const WHEEL_ARGUMENTS: { [fun: string]: Json } = { 'key.name_match': { match: 'web1' } }

/** Return the result as recorded; undefined for an unknown call. */
export async function pythonCall(cluster: Cluster, scenario: Scenario, call: string): Promise<Json | undefined> {
  const published = PUB.exec(call)
  if (published) return publish(cluster, published)
  const wheel = WHEEL.exec(call)
  return wheel ? callWheel(cluster, scenario, wheel) : undefined
}

async function send(cluster: Cluster, load: { [name: string]: Json }): Promise<Dict> {
  const transport = await openTransport('zeromq')
  const connection = transport.connect({ host: '127.0.0.1', port: cluster.requestPort }, { log: silentLog })
  const client = new ClearClient(connection)
  try {
    const answer = await client.send(fromPlain(load) as Dict, { timeout: 20, tries: 1 })
    return isDict(answer) ? answer : new Map<Value, Value>([['answer', answer]])
  } finally {
    client.close()
  }
}

function refusalOf(answer: Dict): { exception: Json; message: Json } | undefined {
  const error = answer.get('error')
  if (error === undefined || !isDict(error)) return undefined
  return { exception: toPlain(error.get('name')!) as Json, message: toPlain(error.get('message')!) as Json }
}

async function publish(cluster: Cluster, [, user, tgt, kind, fun, arg]: RegExpExecArray): Promise<Json> {
  const file = join(cluster.cachedir, `.${user}_key`)
  const answer = await send(cluster, {
    cmd: 'publish',
    tgt: kind === 'list' ? tgt!.split(',') : tgt!,
    tgt_type: kind!,
    fun: fun!,
    arg: JSON.parse(arg!.replaceAll("'", '"')) as Json,
    ret: '',
    jid: '',
    user: user!,
    key: existsSync(file) ? readFileSync(file, 'utf8').trim() : '',
  })
  const refusal = refusalOf(answer)
  if (refusal) return { published: false, ...refusal }
  const load = answer.get('load')
  const minions = load !== undefined && isDict(load) ? (toPlain(load.get('minions') ?? []) as Json) : []
  return { published: true, minions }
}

async function callWheel(cluster: Cluster, scenario: Scenario, [, fun, eauth, username]: RegExpExecArray) {
  const users = (scenario.setup.files?.['users.txt'] ?? '').split('\n').map((line) => line.split(':'))
  const password = users.find(([name]) => name === username)?.[1] ?? ''
  const kwarg = WHEEL_ARGUMENTS[fun!] ?? {}
  const answer = await send(cluster, {
    cmd: 'wheel',
    fun: fun!,
    kwarg,
    eauth: eauth!,
    username: username!,
    password,
  })
  return refusalOf(answer) ?? (toPlain(answer) as Json)
}

/** Files that the master keeps for local users. */
export const keyFiles = (cluster: Cluster): Json =>
  readdirSync(cluster.cachedir)
    .filter((name) => /^\..+_key$/.test(name))
    .sort()
