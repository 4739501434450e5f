// The mine: answers of functions, kept for other minions to see. Without a master they are kept in the minion's own
// data store, and only this minion sees them.
import { BrineError } from '../../../base/mod.ts'
import { contains, type Dict, keyError, SaltError, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, reads, ret } from '../../../sdk/mod.ts'
import { guarded, MINE_DATA, MINE_MARK, mineFunction } from './module/definition.ts'
import { dockerPorts } from './module/docker.ts'

const isLocal = ({ opts }: FunctionContext): boolean => opts.get('file_client') === 'local'
const idOf = ({ opts }: FunctionContext): Value => option(opts, 'id')

const held = async (ctx: FunctionContext): Promise<Value> => ctx.call('data.get', ['mine_cache'])

/** Asks the master; undefined where there is none. */
async function ask(ctx: FunctionContext, load: Record<string, Value>): Promise<Value | undefined> {
  return ctx.daemon?.askMaster(new Map<Value, Value>(Object.entries({ ...load, id: idOf(ctx) })))
}

/** Leaves something with the master; false when there is none to leave it with. */
const send = async (ctx: FunctionContext, load: Record<string, Value>): Promise<boolean> =>
  (await ask(ctx, load)) !== undefined

async function store(ctx: FunctionContext, data: Dict, clear: boolean): Promise<Value> {
  if (!isLocal(ctx)) return send(ctx, { cmd: '_mine', data, clear })
  const old = clear ? null : await held(ctx)
  const all = old instanceof Map ? new Map([...old, ...data]) : data
  return ctx.call('data.update', ['mine_cache', all])
}

/** The answer of a function, or undefined when there is none. */
async function answerOf(
  ctx: FunctionContext,
  name: string,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
  during: string,
): Promise<Value | undefined> {
  try {
    return await ctx.call(name, args, kwargs)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    ctx.log('error', `Function ${name} in ${during} failed to execute: ${error.message}`)
    return undefined
  }
}

async function configured(ctx: FunctionContext): Promise<Dict | undefined> {
  const functions = await ctx.call('config.merge', ['mine_functions', new Map()])
  return functions instanceof Map && functions.size > 0 ? functions : undefined
}

function isAvailable(ctx: FunctionContext, name: string): boolean {
  if (ctx.has(name)) return true
  ctx.log('error', `Function ${name} in mine_functions not available`)
  return false
}

async function update(ctx: FunctionContext, clear: boolean, given: Value): Promise<Value> {
  let functions: Value | undefined = given
  if (!truthy(given)) functions = await configured(ctx)
  else if (Array.isArray(given)) functions = new Map((given as Value[]).map((name) => [name, new Map()]))
  if (!(functions instanceof Map)) return null
  const data: Dict = new Map()
  for (const [alias, definition] of functions) {
    const { name = str(alias), args, kwargs, acl } = mineFunction(definition)
    if (!isAvailable(ctx, name)) continue
    const answer = await answerOf(ctx, name, args, kwargs, 'mine.update')
    if (answer !== undefined) data.set(alias, guarded(answer, acl))
  }
  return store(ctx, data, clear)
}

async function sendOne(
  ctx: FunctionContext,
  name: Value,
  args: readonly Value[],
  given: ReadonlyMap<string, Value>,
): Promise<Value> {
  const plain = new Map([...given].filter(([key]) => !key.startsWith('__')))
  const { name: fun = str(name), kwargs, acl } = mineFunction(plain as Dict)
  const answer = await answerOf(ctx, fun, args, kwargs, 'mine.send')
  return answer === undefined ? false : store(ctx, new Map([[name, guarded(answer, acl)]]), false)
}

const TARGETS = 'glob pcre list grain grain_pcre ipcidr compound pillar pillar_pcre'.split(' ')

interface Question {
  tgt: Value
  fun: Value
  tgt_type: Value
  exclude_minion: boolean
}

async function getFromMaster(ctx: FunctionContext, { tgt, fun, tgt_type, exclude_minion }: Question): Promise<Dict> {
  const answer = await ask(ctx, { cmd: '_mine_get', tgt, fun, tgt_type })
  if (!(answer instanceof Map)) {
    throw new SaltError('SaltException', 'mine.get asks the master, and this minion has no connection to one')
  }
  if (exclude_minion) answer.delete(idOf(ctx))
  return answer
}

async function get(ctx: FunctionContext, question: Question): Promise<Dict> {
  if (!isLocal(ctx)) return getFromMaster(ctx, question)
  const { tgt, fun, tgt_type } = question
  if (!contains(TARGETS, tgt_type)) throw keyError(tgt_type)
  const found: Dict = new Map()
  if (!truthy(await ctx.call(`match.${str(tgt_type)}`, [tgt]))) return found
  const data = await held(ctx)
  const text = textOf(fun)
  const names = text === undefined ? fun : [...new Set(text.split(','))]
  if (!(data instanceof Map) || !Array.isArray(names)) return found
  const byName = text === undefined || names.length > 1
  for (const name of names as Value[]) {
    const item = data.get(name)
    if (item === undefined) continue
    const answer = contains(item, MINE_MARK) ? (item as Dict).get(MINE_DATA)! : item
    if (byName) found.set(name, new Map([[idOf(ctx), answer]]))
    else found.set(idOf(ctx), answer)
  }
  return found
}

async function remove(ctx: FunctionContext, fun: Value): Promise<boolean> {
  if (!isLocal(ctx)) return send(ctx, { cmd: '_mine_delete', fun })
  const data = await held(ctx)
  if (data instanceof Map) data.delete(fun)
  return ctx.call('data.update', ['mine_cache', data])
}

async function valid(ctx: FunctionContext): Promise<Value> {
  const functions = await configured(ctx)
  if (functions === undefined) return null
  const data: Dict = new Map()
  for (const [alias, definition] of functions) {
    const { name, args, kwargs } = mineFunction(definition)
    if (!isAvailable(ctx, name ?? str(alias))) continue
    const listed = [...args, ...[...kwargs].map(([key, value]) => new Map([[key, value]]))]
    data.set(alias, name === undefined ? definition : new Map([[name, listed]]))
  }
  return data
}

const fun = arg.any('The function, or its alias')

export default defineModule({
  name: 'mine',
  doc: 'Answers of functions, kept for other minions.',
  functions: {
    update: changes({
      doc: 'Call the configured functions and keep their answers.',
      args: {
        clear: arg.boolean('Forget what was kept before', { default: false }),
        mine_functions: arg.any('Call these instead', { optional: true }),
      },
      returns: ret.any('Whether they were kept; None when there is nothing to call'),
      example: 'mine.update',
      run: (ctx, { clear, mine_functions }) => update(ctx, clear, mine_functions),
    }),
    send: changes({
      doc: 'Call a function and keep its answer.',
      args: {
        name: arg.any('The function, or an alias'),
        args: arg.rest('Its arguments'),
        kwargs: arg.open(
          'Its keywords; mine_function names it when the name is an alias; allow_tgt says who may see it',
        ),
      },
      returns: ret.any('Whether it was kept, as the master says'),
      example: 'mine.send eth0_ip_addrs mine_function=network.ip_addrs interface=eth0',
      run: (ctx, { name, args, kwargs }) => sendOne(ctx, name, args, kwargs),
    }),
    get: reads({
      doc: 'Kept answers of minions.',
      args: {
        tgt: arg.any('The minions'),
        fun: arg.any('The function; or several: a list, or names separated by commas'),
        tgt_type: arg.any('How the minions are chosen', { default: 'glob' }),
        exclude_minion: arg.boolean('Leave out this minion', { default: false }),
      },
      returns: ret.dict('Answers by minion; by function and minion for several functions'),
      example: "mine.get 'os:Fedora' network.interfaces grain",
      run: get,
    }),
    delete: changes({
      doc: 'Forget the answer of a function.',
      args: { fun },
      returns: ret.boolean('Whether it was done'),
      example: "mine.delete 'network.interfaces'",
      run: (ctx, { fun }) => remove(ctx, fun),
    }),
    flush: changes({
      doc: 'Forget all answers of this minion.',
      args: {},
      returns: ret.boolean('Whether it was done'),
      example: 'mine.flush',
      run: (ctx) =>
        isLocal(ctx) ? ctx.call('data.update', ['mine_cache', new Map()]) : send(ctx, { cmd: '_mine_flush' }),
    }),
    get_docker: reads({
      doc: 'Where the ports of containers can be reached.',
      args: {
        interfaces: arg.any('Only addresses of these', { optional: true }),
        cidrs: arg.any('Only addresses in these networks', { optional: true }),
        with_container_id: arg.boolean('With the containers', { default: false }),
      },
      returns: ret.dict('By image, ipv4 and port'),
      example: "mine.get_docker interfaces='eth0'",
      run: async (ctx, { interfaces, cidrs, with_container_id }) =>
        dockerPorts(
          await get(ctx, { tgt: '*', fun: 'docker.ps', tgt_type: 'glob', exclude_minion: false }),
          interfaces,
          cidrs,
          with_container_id,
        ),
    }),
    valid: reads({
      doc: 'The configured functions that are there.',
      args: {},
      returns: ret.any('By alias; None when there is nothing configured'),
      example: 'mine.valid',
      run: (ctx) => valid(ctx),
    }),
  },
})
