// Events: on the bus of this minion, and to its master. Without a running minion, or without a master, there is
// nobody to hear them; that is no error, and the answer is false, as in Salt.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, ret } from '../../../sdk/mod.ts'

function isLocal(ctx: FunctionContext): boolean {
  const option = (name: string): Value => ctx.opts.get(name) ?? null
  const alone = truthy(option('local')) || option('file_client') === 'local' || option('master_type') === 'disable'
  return alone && !truthy(option('use_master_when_local'))
}

function unheard(ctx: FunctionContext, tag: Value): false {
  ctx.log('debug', `No minion is running here that could pass on the event ${str(tag)}`)
  return false
}

async function fire(ctx: FunctionContext, tag: Value, data: Value): Promise<boolean> {
  if (!isDict(data)) return false
  return ctx.daemon ? ctx.daemon.fire(str(tag), data) : unheard(ctx, tag)
}

async function fireMaster(ctx: FunctionContext, tag: Value, data: Value, preload: Value): Promise<boolean> {
  if (isLocal(ctx)) {
    ctx.log('warning', `Local mode detected. Event with tag ${str(tag)} will NOT be sent.`)
    return false
  }
  if (!ctx.daemon) return unheard(ctx, tag)
  const load: Dict = new Map(preload instanceof Map ? preload : [])
  // events that a daemon passes on have a field for what stands before their tags
  if (load.size === 0 && ctx.opts.get('__cli') !== 'salt-call') load.set('pretag', null)
  load.set('id', option(ctx.opts, 'id'))
  load.set('tag', tag).set('data', data)
  if (!load.has('cmd')) load.set('cmd', '_minion_event')
  await ctx.daemon.askMaster(load)
  return true
}

/** All of it, or the keys that a list names. */
function part(wanted: Value, all: ReadonlyMap<Value, Value>): Dict {
  if (!Array.isArray(wanted)) return new Map(all)
  return new Map([...all].filter(([key]) => (wanted as Value[]).includes(key)))
}

interface Message {
  tag: Value
  data: Value
  with_env: Value
  with_grains: Value
  with_pillar: Value
  with_env_opts: Value
  kwargs: Map<string, Value>
}

async function payload(ctx: FunctionContext, message: Message): Promise<Dict> {
  const { data, kwargs } = message
  const all: Dict = new Map()
  if (truthy(message.with_env)) all.set('environ', part(message.with_env, await ctx.host.env()))
  if (truthy(message.with_grains)) all.set('grains', part(message.with_grains, ctx.grains))
  if (truthy(message.with_pillar)) all.set('pillar', part(message.with_pillar, ctx.pillar))
  if (truthy(message.with_env_opts)) {
    const saltenv = ctx.opts.get('saltenv')
    all.set('saltenv', saltenv === undefined ? 'base' : saltenv).set('pillarenv', option(ctx.opts, 'pillarenv'))
  }
  for (const [key, value] of [...kwargs, ...(data instanceof Map ? data : [])]) all.set(key, value)
  return all
}

const tag = arg.any('The tag')
const preload = arg.any('What else goes to the master', { optional: true })
const along = (what: string) => arg.any(`Whether ${what} goes along; or a list of its keys`, { default: false })

export default defineModule({
  name: 'event',
  doc: 'Fire events.',
  functions: {
    fire_master: changes({
      doc: 'Fire an event on the master.',
      args: { data: arg.any('The data'), tag, preload },
      returns: ret.boolean('Whether it was sent'),
      example: 'event.fire_master \'{"data":"my event data"}\' \'tag\'',
      run: (ctx, { tag, data, preload }) => fireMaster(ctx, tag, data, preload),
    }),
    fire: changes({
      doc: 'Fire an event on the minion.',
      args: { data: arg.any('The data'), tag },
      returns: ret.boolean('Whether it was sent'),
      example: 'event.fire \'{"data":"my event data"}\' \'tag\'',
      run: (ctx, { tag, data }) => fire(ctx, tag, data),
    }),
    send: changes({
      doc: 'Fire an event on the master, or on the minion when there is no master.',
      args: {
        tag,
        data: arg.any('The data', { optional: true }),
        preload,
        with_env: along('the environment'),
        with_grains: along('all grains'),
        with_pillar: along('the pillar'),
        with_env_opts: arg.flag('Whether saltenv and pillarenv go along', { default: false }),
        kwargs: arg.open('Further data'),
      },
      returns: ret.boolean('Whether it was sent'),
      examples: ['salt-call event.send myco/mytag foo=Foo bar=Bar'],
      run: async (ctx, message) => {
        const data = await payload(ctx, message)
        return isLocal(ctx)
          ? ctx.call('event.fire', [data, message.tag])
          : ctx.call('event.fire_master', [data, message.tag], { preload: message.preload })
      },
    }),
  },
})
