// `brine python-host`: answers a Python script that imported the salt package by itself: options, YAML, jobs, runners and
// functions of a minion. Frames come on the standard input and go to the standard output, until the script ends.
import { consoleLog, lookup } from '../base/mod.ts'
import { localKey } from '../client/mod.ts'
import { clientConfig, masterConfig, minionConfig, option } from '../config/mod.ts'
import { type Dict, dictFrom, isDict, numberOf, str, textOf, truthy, type Value } from '../data/mod.ts'
import { answersOf, type ScopeFunction, serveFrames } from '../python/mod.ts'
import { runMasterFunction, type SocketAccess, socketAccess } from '../runner/mod.ts'
import type { MinionJob } from '../sdk/mod.ts'
import { configSources } from './config-sources.ts'
import { callOverSsh } from './over-ssh.ts'

const log = consoleLog('warning', (line) => void process.stderr.write(line))

const READERS: Readonly<Record<string, (path: string) => Promise<Dict>>> = lookup({
  client: (path) => clientConfig({ path, log, ...configSources }),
  master: (path) => masterConfig({ path, log, ...configSources }),
  minion: (path) => minionConfig({ path, log, ...configSources }),
})

/** The master behind a configuration file; opened once. */
class Masters {
  private readonly open = new Map<string, Promise<SocketAccess>>()

  of(path: Value): Promise<SocketAccess> {
    const file = str(path)
    let access = this.open.get(file)
    if (!access) {
      access = clientConfig({ path: file, log, ...configSources }).then((opts) =>
        socketAccess(opts, log, { overSsh: callOverSsh }),
      )
      this.open.set(file, access)
    }
    return access
  }

  async close(): Promise<void> {
    for (const access of this.open.values()) (await access).close()
  }
}

function jobOf(request: Dict): MinionJob {
  const timeout = numberOf(request.get('timeout') ?? null)
  const jid = textOf(request.get('jid') ?? null)
  return {
    tgt: request.get('tgt')!,
    tgtType: str(request.get('tgt_type') ?? 'glob'),
    fun: request.get('fun')!,
    arg: request.get('arg') as Value[],
    ret: str(request.get('ret') ?? ''),
    ...(jid && { jid }),
    ...(timeout !== undefined && { timeout }),
    options: request.get('further') as Dict,
  }
}

/** The answers by minion, with Salt's keys. */
async function gather(access: SocketAccess, job: MinionJob): Promise<Dict> {
  const found: Dict = new Map()
  const published = await access.publish(job)
  if (!published) return found
  const timeout = job.timeout ?? option(access.opts, 'timeout')
  for await (const { id, data } of access.collect(published, timeout, option(access.opts, 'gather_job_timeout'))) {
    if (!data) continue
    const answer: Dict = new Map<Value, Value>([
      ['jid', published.jid],
      ['ret', data.get('return') ?? null],
      ['retcode', data.get('retcode') ?? 0],
    ])
    if (data.has('out')) answer.set('out', data.get('out')!)
    found.set(id, answer)
  }
  return found
}

async function callMaster(access: SocketAccess, family: 'runner' | 'wheel', params: readonly Value[]): Promise<Value> {
  const [fun, args, kwargs] = params
  const keywords = new Map([...(kwargs as Dict)].map(([key, value]) => [str(key), value]))
  const user = localKey(access.opts).user
  return (await runMasterFunction(access, { family, fun: str(fun!), args: args as Value[], kwargs: keywords, user }))
    .value
}

async function callMinion([path, changes, fun, args, kwargs]: readonly Value[]): Promise<Value> {
  const opts = await minionConfig({ path: str(path!), log, ...configSources })
  for (const [name, value] of changes as Dict) if (truthy(value)) opts.set(name, value)
  const keywords = new Map([...(kwargs as Dict)].map(([key, value]) => [str(key), value]))
  if (opts.get('file_client') === 'local') {
    const { localMinion } = await import('./call/local-minion.ts')
    return (await localMinion(opts, log)).functions.call(str(fun!), args as Value[], keywords)
  }
  const { remoteMinion } = await import('./call/remote-minion.ts')
  const minion = await remoteMinion(opts, log)
  try {
    return await minion.functions.call(str(fun!), args as Value[], keywords)
  } finally {
    await minion.close()
  }
}

function answers(masters: Masters): Map<string, ScopeFunction> {
  return answersOf(
    {},
    {
      config: ([kind, path]) => READERS[str(kind!)]!(str(path!)),
      local: async ([path, how, request]) => {
        const access = await masters.of(path!)
        const job = jobOf(request as Dict)
        if (how === 'cmd') return gather(access, job)
        const published = await access.publish(job)
        const { jid = '', minions = [] } = published ?? {}
        return dictFrom({ jid, minions })
      },
      runner: async ([path, ...call]) => callMaster(await masters.of(path!), 'runner', call),
      wheel: async ([path, ...call]) => callMaster(await masters.of(path!), 'wheel', call),
      caller: callMinion,
      call: async ([, name, args, kwargs]) =>
        callMinion([
          '/etc/salt/minion',
          new Map([['file_client', 'local']]),
          name!,
          args!,
          isDict(kwargs!) ? kwargs : new Map(),
        ]),
    },
  )
}

export async function run(): Promise<number> {
  const masters = new Masters()
  await serveFrames(process.stdin, process.stdout, answers(masters))
  await masters.close()
  return 0
}
