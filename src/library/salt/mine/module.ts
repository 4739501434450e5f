// The mine: results of functions, stored for other minions. Without a master they are stored in the data store of the
// minion, and only this minion reads them.
import { BrineError } from '../../../base/mod.ts'
import { type Dict, dictFrom, isList, keyError, SaltError, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, option, reads, ret } from '../../../sdk/mod.ts'
import { guarded, MINE_DATA, MINE_MARK, mineFunction } from './module/definition.ts'
import { dockerPorts } from './module/docker.ts'

const isLocal = ({ opts }: FunctionContext): boolean => opts.get('file_client') === 'local'
const idOf = ({ opts }: FunctionContext): Value => option(opts, 'id')

const held = async (ctx: FunctionContext): Promise<Value> => ctx.call('data.get', ['mine_cache'])

/** Ask the master; return undefined if there is none. */
async function ask(ctx: FunctionContext, load: Record<string, Value>): Promise<Value | undefined> {
  return ctx.daemon?.askMaster(dictFrom({ ...load, id: idOf(ctx) }))
}

/** Send data to the master; return false if there is none. */
const send = async (ctx: FunctionContext, load: Record<string, Value>): Promise<boolean> =>
  (await ask(ctx, load)) !== undefined

async function store(ctx: FunctionContext, data: Dict, clear: boolean): Promise<Value> {
  if (!isLocal(ctx)) return send(ctx, { cmd: '_mine', data, clear })
  const old = clear ? null : await held(ctx)
  const all = old instanceof Map ? new Map([...old, ...data]) : data
  return ctx.call('data.update', ['mine_cache', all])
}

/** Return the result of a function, or undefined if it fails. */
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
  else if (isList(given)) functions = new Map(given.map((name) => [name, new Map()]))
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
  name: string,
  args: readonly Value[],
  given: ReadonlyMap<string, Value>,
): Promise<Value> {
  const plain = new Map<Value, Value>([...given].filter(([key]) => !key.startsWith('__')))
  const { name: fun = name, kwargs, acl } = mineFunction(plain)
  const answer = await answerOf(ctx, fun, args, kwargs, 'mine.send')
  return answer === undefined ? false : store(ctx, new Map([[name, guarded(answer, acl)]]), false)
}

const TARGETS = 'glob pcre list grain grain_pcre ipcidr compound pillar pillar_pcre'.split(' ')

const getArgs = {
  tgt: arg.textOrList('Target: text, or a list of minion ids'),
  fun: arg.any('Function or alias; a list of them, or text with commas'),
  tgt_type: arg.text('Kind of the target', { default: 'glob' }),
  exclude_minion: arg.boolean('Leave out this minion', { default: false }),
}

type Query = Bound<typeof getArgs>

async function getFromMaster(ctx: FunctionContext, { tgt, fun, tgt_type, exclude_minion }: Query): Promise<Dict> {
  const answer = await ask(ctx, { cmd: '_mine_get', tgt, fun, tgt_type })
  if (!(answer instanceof Map)) {
    throw new SaltError('SaltException', 'mine.get asks the master, and this minion has no connection to one')
  }
  if (exclude_minion) answer.delete(idOf(ctx))
  return answer
}

async function get(ctx: FunctionContext, query: Query): Promise<Dict> {
  if (!isLocal(ctx)) return getFromMaster(ctx, query)
  const { tgt, fun, tgt_type } = query
  if (!TARGETS.includes(tgt_type)) throw keyError(tgt_type)
  const found: Dict = new Map()
  if (!truthy(await ctx.call(`match.${tgt_type}`, [tgt]))) return found
  const data = await held(ctx)
  const text = textOf(fun)
  const names: Value = text === undefined ? fun : [...new Set(text.split(','))]
  if (!(data instanceof Map) || !isList(names)) return found
  const byName = text === undefined || names.length > 1
  for (const name of names) {
    const item = data.get(name)
    if (item === undefined) continue
    const answer = item instanceof Map && item.has(MINE_MARK) ? item.get(MINE_DATA)! : item
    if (byName) found.set(name, new Map([[idOf(ctx), answer]]))
    else found.set(idOf(ctx), answer)
  }
  return found
}

async function remove(ctx: FunctionContext, fun: string): Promise<boolean> {
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

const fun = arg.text('Function, or its alias')

export default defineModule({
  name: 'mine',
  doc: 'Store results of functions for other minions.',
  functions: {
    update: changes({
      doc: 'Call the configured functions and store their results.',
      args: {
        clear: arg.boolean('Remove the stored results first', { default: false }),
        mine_functions: arg.any(
          'Functions to call in place of the configured ones: a list, or a dict as in the option',
          { optional: true },
        ),
      },
      returns: ret.any('Whether the results were stored; None if there are no functions'),
      run: (ctx, { clear, mine_functions }) => update(ctx, clear, mine_functions),
    }),
    send: changes({
      doc: 'Call a function and store its result.',
      args: {
        name: fun,
        args: arg.rest('Arguments of the function'),
        kwargs: arg.open(
          'Keyword arguments; `mine_function` is the function of an alias; `allow_tgt` and `allow_tgt_type` limit the readers',
        ),
      },
      returns: ret.any('Whether the result was stored'),
      example: 'mine.send eth0_ip_addrs mine_function=network.ip_addrs interface=eth0',
      run: (ctx, { name, args, kwargs }) => sendOne(ctx, name, args, kwargs),
    }),
    get: reads({
      doc: 'Return stored results of minions.',
      args: getArgs,
      returns: ret.dict('Results by minion id; by function and minion id for several functions'),
      example: "mine.get 'os:Fedora' network.interfaces grain",
      run: get,
    }),
    delete: changes({
      doc: 'Remove the stored result of a function.',
      args: { fun },
      returns: ret.boolean('Whether the request was sent or done'),
      example: "mine.delete 'network.interfaces'",
      run: (ctx, { fun }) => remove(ctx, fun),
    }),
    flush: changes({
      doc: 'Remove all stored results of this minion.',
      returns: ret.boolean('Whether the request was sent or done'),
      run: (ctx) =>
        isLocal(ctx) ? ctx.call('data.update', ['mine_cache', new Map()]) : send(ctx, { cmd: '_mine_flush' }),
    }),
    get_docker: reads({
      doc: 'Return the addresses at which the ports of containers can be reached.',
      args: {
        interfaces: arg.words('Network interfaces: a list, or text with commas. Default: all', { optional: true }),
        cidrs: arg.words('Networks of the addresses: a list, or text with commas. Default: all', { optional: true }),
        with_container_id: arg.boolean('Include the container ids', { default: false }),
      },
      returns: ret.dict('Addresses by image, `ipv4` and port'),
      example: "mine.get_docker interfaces='eth0'",
      run: async (ctx, { interfaces, cidrs, with_container_id }) =>
        dockerPorts(
          await get(ctx, { tgt: '*', fun: 'docker.ps', tgt_type: 'glob', exclude_minion: false }),
          interfaces?.filter(Boolean) ?? [],
          cidrs?.filter(Boolean) ?? [],
          with_container_id,
        ),
    }),
    valid: reads({
      doc: 'Return the configured functions that are available.',
      returns: ret.any('Functions by alias; None if there are none'),
      run: (ctx) => valid(ctx),
    }),
  },
})
