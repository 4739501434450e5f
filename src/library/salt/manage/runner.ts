// Which minions are there.
import { type Dict, isList, numberOf, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, ret } from '../../../sdk/mod.ts'
import { safeAccept } from './runner/safe-accept.ts'

interface Question {
  tgt: Value
  tgt_type: Value
  timeout: Value
  gather_job_timeout: Value
}

interface Status {
  up: string[]
  down: string[]
}

/** Who answers a ping, and who of those that are meant does not. */
async function status(ctx: MasterContext, { tgt, tgt_type, timeout, gather_job_timeout }: Question): Promise<Status> {
  const up: string[] = []
  const down: string[] = []
  const [wait, gather] = [numberOf(timeout), numberOf(gather_job_timeout)]
  const times = {
    ...(wait !== undefined && { timeout: wait }),
    ...(gather !== undefined && { gatherJobTimeout: gather }),
  }
  const tgtType = textOf(tgt_type) ?? 'glob'
  for await (const { id, data } of ctx.run({ tgt, tgtType, fun: 'test.ping', ...times })) (data ? up : down).push(id)
  return { up: up.sort(), down: down.sort() }
}

const known = (ctx: MasterContext): string[] => [...ctx.keys.list('minions')]

async function versions(ctx: MasterContext): Promise<Dict> {
  const own = str((await ctx.function('test.version')) as Value)
  const groups = new Map<string, Dict>()
  const put = (group: string, id: string, value: Value): void => {
    groups.set(group, (groups.get(group) ?? new Map()).set(id, value) as Dict)
  }
  for await (const { id, data } of ctx.run({ tgt: '*', fun: 'test.version' })) {
    const version = data?.get('return')
    if (version === undefined) put('Minion offline', id, false)
    else if (str(version) === own) put('Up to date', id, version)
    else put(str(version) > own ? 'Minion newer than master' : 'Minion requires update', id, version)
  }
  const sorted = (dict: Dict): Dict => new Map([...dict].sort(([a], [b]) => (str(a) < str(b) ? -1 : 1)))
  const order = ['Up to date', 'Minion requires update', 'Minion newer than master', 'Minion offline']
  const shown: Array<[Value, Value]> = order
    .filter((name) => groups.has(name))
    .map((name) => [name, sorted(groups.get(name)!)])
  return new Map<Value, Value>([...shown, ['Master', own]])
}

const tgt = arg.any('Which minions', { default: '*' })
const tgt_type = arg.any('How they are meant', { default: 'glob' })
const timeout = arg.any('Seconds to wait', { optional: true })
const gather_job_timeout = arg.any('Seconds to wait for those who still work', { optional: true })
const question = { tgt, tgt_type, timeout, gather_job_timeout }
const subset = arg.any('Only these', { optional: true })
const show_ip = arg.flag('With their addresses', { default: false })

const listOf = (value: Value): Value[] => (isList(value) ? [...value] : [value])

/** Connected minions, all or those of a subset. */
function connected(ctx: MasterContext, wanted: Value): Map<string, string> {
  const all = ctx.connected()
  return truthy(wanted) ? new Map([...all].filter(([id]) => listOf(wanted).includes(id))) : all
}

const there = masterFn({
  doc: 'Minions that are connected.',
  args: { subset, show_ip },
  examples: ['salt-run manage.present'],
  run: (ctx, { subset, show_ip }) => {
    const found = connected(ctx, subset)
    return show_ip ? new Map<Value, Value>(found) : [...found.keys()].sort()
  },
})

const away = masterFn({
  doc: 'Minions that are not connected.',
  args: { subset, show_ip },
  examples: ['salt-run manage.not_present'],
  run: (ctx, { subset }) => {
    const found = connected(ctx, null)
    return known(ctx).filter((id) => !found.has(id) && (subset === null || listOf(subset).includes(id)))
  },
})

/** Salt's own words, which people search for. */
const REGENERATED =
  'The minion and master keys have been deleted.  Restart the Salt\nMaster within the next 60 seconds!!!\n\n' +
  'Wait for the minions to reconnect.  Once the minions reconnect\nthe new keys will appear in pending and will need to be re-\n' +
  'accepted by running:\n    salt-key -A\n\nBe advised that minions not currently connected to the master\n' +
  'will not be able to reconnect and may require manual\nregeneration via a local call to\n    salt-call saltutil.regen_keys'

export default defineRunner({
  name: 'manage',
  doc: 'Which minions are there.',
  functions: {
    status: masterFn({
      doc: 'Minions that answer, and those that do not.',
      args: { output: arg.flag('Whether both lists are told', { default: true }), ...question },
      examples: ['salt-run manage.status'],
      run: async (ctx, { output: _output, ...asked }) => ({ ...(await status(ctx, asked)) }),
    }),
    up: masterFn({
      doc: 'Minions that answer.',
      args: question,
      examples: ['salt-run manage.up'],
      run: async (ctx, asked) => (await status(ctx, asked)).up,
    }),
    down: masterFn({
      doc: 'Minions that do not answer; on request their keys are deleted.',
      args: { removekeys: arg.flag('Delete their keys', { default: false }), ...question },
      examples: ['salt-run manage.down'],
      run: async (ctx, { removekeys, ...asked }) => {
        const { down } = await status(ctx, asked)
        // ids may read as globs, and resources have no keys
        const keys: Dict = new Map([['minions', known(ctx).filter((id) => down.includes(id))]])
        if (removekeys) await ctx.wheel('key.delete_dict', [keys])
        return down
      },
    }),
    key_regen: masterFn({
      doc: 'Make all minions use new keys: theirs are deleted here and there.',
      args: {},
      examples: ['salt-run manage.key_regen'],
      run: async (ctx) => {
        for await (const _answer of ctx.run({ tgt: '*', fun: 'saltutil.regen_keys' }));
        for (const id of known(ctx)) ctx.keys.remove('minions', id)
        return REGENERATED
      },
    }),
    safe_accept: masterFn({
      doc: 'Accept keys of minions that `salt-ssh` finds to be those on their machines.',
      args: { target: arg.text('Which minions, as the roster of salt-ssh names them'), tgt_type },
      returns: ret.texts('The fingerprints of accepted keys, and why others were not'),
      examples: ['salt-run manage.safe_accept web1'],
      run: (ctx, { target, tgt_type }) => safeAccept(ctx, target, textOf(tgt_type) ?? 'glob'),
    }),
    versions: masterFn({
      doc: 'The versions of minions, compared with that of the master.',
      args: {},
      examples: ['salt-run manage.versions'],
      run: (ctx) => versions(ctx),
    }),
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
