// Shows which minions are up, connected and current.
import { brineVersion } from '../../../base/mod.ts'
import { comparePep440, type Dict, dictFrom, numberOf, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineRunner, type MasterContext, masterFn, ret } from '../../../sdk/mod.ts'
import { bootstrap } from './runner/bootstrap.ts'
import { safeAccept } from './runner/safe-accept.ts'

const tgt_type = arg.text('Kind of the target', { default: 'glob' })
const seconds = (doc: string) => arg.any(`${doc}: a number; other types are ignored`, { optional: true })
const question = {
  tgt: arg.textOrList('Target: text, or a list of minion ids', { default: '*' }),
  tgt_type,
  timeout: seconds('Seconds to wait'),
  gather_job_timeout: seconds('Seconds to wait for minions that are still running the job'),
}

interface Status {
  up: string[]
  down: string[]
}

/** Return the targeted minions that answer a ping, and those that do not. */
async function status(ctx: MasterContext, request: Bound<typeof question>): Promise<Status> {
  const { tgt, tgt_type, timeout, gather_job_timeout } = request
  const up: string[] = []
  const down: string[] = []
  const [wait, gather] = [numberOf(timeout), numberOf(gather_job_timeout)]
  const times = {
    ...(wait !== undefined && { timeout: wait }),
    ...(gather !== undefined && { gatherJobTimeout: gather }),
  }

  for await (const { id, data } of ctx.run({ tgt, tgtType: tgt_type, fun: 'test.ping', ...times }))
    (data ? up : down).push(id)
  return { up: up.sort(), down: down.sort() }
}

const known = (ctx: MasterContext): string[] => [...ctx.keys.list('minions')]

/** Salt's words for how the version of a minion compares. */
const VERSION_GROUPS = ['Up to date', 'Minion requires update', 'Minion newer than master', 'Minion offline'] as const

function versionGroup(version: Value | undefined, own: string): (typeof VERSION_GROUPS)[number] {
  if (version === undefined) return 'Minion offline'
  const order = comparePep440(str(version), own) ?? (str(version) === own ? 0 : -1)
  if (order === 0) return 'Up to date'
  return order > 0 ? 'Minion newer than master' : 'Minion requires update'
}

const byName = (entries: Iterable<[Value, Value]>): Dict =>
  new Map([...entries].sort(([one], [other]) => (str(one) < str(other) ? -1 : 1)))

async function versions(ctx: MasterContext, brine: boolean): Promise<Dict> {
  const own = str(await ctx.function('test.version'))
  const groups = new Map<string, Array<[Value, Value]>>()
  for await (const { id, data } of ctx.run({ tgt: '*', fun: 'test.version' })) {
    const version = truthy(data?.get('retcode') ?? 0) ? undefined : data?.get('return')
    const group = versionGroup(version, own)
    groups.set(group, [...(groups.get(group) ?? []), [id, version ?? false]])
  }
  const known = VERSION_GROUPS.filter((name) => groups.has(name))
  const shown: Dict = new Map(known.map((name): [Value, Value] => [name, byName(groups.get(name)!)]))
  shown.set('Master', own)
  return brine ? shown.set('Brine', await brineVersions(ctx)) : shown
}

/** Return the versions of Brine: of the master, and of the minions that run Brine. */
async function brineVersions(ctx: MasterContext): Promise<Dict> {
  const found: Array<[Value, Value]> = []
  for await (const { id, data } of ctx.run({
    tgt: 'brine_version:*',
    tgtType: 'grain',
    fun: 'grains.get',
    arg: ['brine_version'],
  })) {
    const version = data?.get('return')
    if (version !== undefined) found.push([id, version])
  }
  return dictFrom({ Master: brineVersion(), Minions: byName(found) })
}

const subset = arg.words('Minion ids to return: a list, or text with commas. Default: all', { optional: true })
const show_ip = arg.flag('Include their addresses', { default: false })

/** Return the connected minions, all or those of a subset. */
function connected(ctx: MasterContext, wanted: readonly string[] | null): Map<string, string> {
  const all = ctx.connected()
  return wanted && wanted[0] !== '' ? new Map([...all].filter(([id]) => wanted.includes(id))) : all
}

const there = masterFn({
  doc: 'Return the connected minions.',
  args: { subset, show_ip },
  examples: ['salt-run manage.present'],
  run: (ctx, { subset, show_ip }) => {
    const found = connected(ctx, subset)
    return show_ip ? new Map<Value, Value>(found) : [...found.keys()].sort()
  },
})

const away = masterFn({
  doc: 'Return the minions that are not connected.',
  args: { subset, show_ip },
  examples: ['salt-run manage.not_present'],
  run: (ctx, { subset }) => {
    const found = connected(ctx, null)
    return known(ctx).filter((id) => !found.has(id) && (subset === null || subset.includes(id)))
  },
})

/** Salt's text, which users search for. */
const REGENERATED =
  'The minion and master keys have been deleted.  Restart the Salt\nMaster within the next 60 seconds!!!\n\n' +
  'Wait for the minions to reconnect.  Once the minions reconnect\nthe new keys will appear in pending and will need to be re-\n' +
  'accepted by running:\n    salt-key -A\n\nBe advised that minions not currently connected to the master\n' +
  'will not be able to reconnect and may require manual\nregeneration via a local call to\n    salt-call saltutil.regen_keys'

export default defineRunner({
  name: 'manage',
  doc: 'Show which minions are up, connected and current.',
  functions: {
    status: masterFn({
      doc: 'Return the lists of reachable and unreachable minions.',
      args: { output: arg.flag('Ignored', { default: true }), ...question },
      examples: ['salt-run manage.status'],
      run: async (ctx, { output: _output, ...asked }) => ({ ...(await status(ctx, asked)) }),
    }),
    up: masterFn({
      doc: 'Return the minions that are up.',
      args: question,
      examples: ['salt-run manage.up'],
      run: async (ctx, asked) => (await status(ctx, asked)).up,
    }),
    down: masterFn({
      doc: 'Return the minions that are down, and delete their keys on request.',
      args: { removekeys: arg.flag('Delete their keys', { default: false }), ...question },
      examples: ['salt-run manage.down'],
      run: async (ctx, { removekeys, ...asked }) => {
        const { down } = await status(ctx, asked)
        // a minion id may look like a glob, and resources have no keys
        const keys: Dict = new Map([['minions', known(ctx).filter((id) => down.includes(id))]])
        if (removekeys) await ctx.wheel('key.delete_dict', [keys])
        return down
      },
    }),
    key_regen: masterFn({
      doc: 'Delete the keys of all minions, on the minions and on the master, so that they create new keys.',
      examples: ['salt-run manage.key_regen'],
      run: async (ctx) => {
        for await (const _answer of ctx.run({ tgt: '*', fun: 'saltutil.regen_keys' }));
        for (const id of known(ctx)) ctx.keys.remove('minions', id)
        return REGENERATED
      },
    }),
    safe_accept: masterFn({
      doc: 'Accept the keys of minions after `salt-ssh` has compared them with the keys on their machines.',
      args: { target: arg.text('Target in the roster of salt-ssh'), tgt_type },
      returns: ret.texts('Fingerprints of the accepted keys, and the reasons for the others'),
      examples: ['salt-run manage.safe_accept web1'],
      run: (ctx, { target, tgt_type }) => safeAccept(ctx, target, tgt_type),
    }),
    versions: masterFn({
      doc: 'Return the versions of the minions, compared with the version of the master.',
      args: { brine: arg.flag('Add a section with the versions of Brine', { default: false }) },
      examples: ['salt-run manage.versions', 'salt-run manage.versions brine=True'],
      run: (ctx, { brine }) => versions(ctx, brine),
    }),
    stats: masterFn({
      doc: 'Return a summary of the running master: minions, jobs, latencies, queues, memory and stores.',
      returns: ret.dict('The summary by topic'),
      examples: ['salt-run manage.stats'],
      run: async (ctx) => {
        const [stats] = (await ctx.facts('master_stats')) ?? []
        if (!stats) throw new SaltError('CommandExecutionError', 'The master does not answer, or is not a Brine master')
        return stats
      },
    }),
    bootstrap,
    present: there,
    not_present: away,
    list_state: there,
    list_not_state: away,
    joined: there,
    not_joined: away,
    allowed: there,
    not_allowed: away,
    alived: there,
    not_alived: away,
    reaped: there,
    not_reaped: away,
  },
})
