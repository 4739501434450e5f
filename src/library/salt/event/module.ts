// Fires events on the bus of this minion and on its master. Without a minion daemon or a master nobody receives the
// event; then the functions return False, as in Salt.
import { type Dict, isDict, isList, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, option, ret } from '../../../sdk/mod.ts'

function isLocal(ctx: FunctionContext): boolean {
  const option = (name: string): Value => ctx.opts.get(name) ?? null
  const alone = truthy(option('local')) || option('file_client') === 'local' || option('master_type') === 'disable'
  return alone && !truthy(option('use_master_when_local'))
}

function notSent(ctx: FunctionContext, tag: string): false {
  ctx.log('debug', `No minion is running here that could pass on the event ${tag}`)
  return false
}

async function fire(ctx: FunctionContext, tag: string, data: Value): Promise<boolean> {
  if (!isDict(data)) return false
  return ctx.daemon ? ctx.daemon.fire(tag, data) : notSent(ctx, tag)
}

async function fireMaster(ctx: FunctionContext, tag: string, data: Value, preload: Value): Promise<boolean> {
  if (isLocal(ctx)) {
    ctx.log('warning', `Local mode detected. Event with tag ${tag} will NOT be sent.`)
    return false
  }
  if (!ctx.daemon) return notSent(ctx, tag)
  const load: Dict = new Map(preload instanceof Map ? preload : [])
  // events of a daemon have the field `pretag`
  if (load.size === 0 && ctx.opts.get('__cli') !== 'salt-call') load.set('pretag', null)
  load.set('id', option(ctx.opts, 'id'))
  load.set('tag', tag).set('data', data)
  if (!load.has('cmd')) load.set('cmd', '_minion_event')
  await ctx.daemon.askMaster(load)
  return true
}

/** Return all data, or the keys of a list. */
function part(wanted: Value, all: ReadonlyMap<Value, Value>): Dict {
  return isList(wanted) ? new Map([...all].filter(([key]) => wanted.includes(key))) : new Map(all)
}

const tag = arg.text('Tag of the event')
const data = arg.any('Dict with the data of the event; other types are not sent', { optional: true })
const preload = arg.any('Dict merged into the message to the master; other types are ignored', { optional: true })
const withData = (what: string) => arg.any(`Send ${what} too: a boolean, or a list of keys`, { default: false })

const sendArgs = {
  tag,
  data,
  preload,
  with_env: withData('the environment'),
  with_grains: withData('the grains'),
  with_pillar: withData('the pillar'),
  with_env_opts: arg.flag('Send `saltenv` and `pillarenv` too', { default: false }),
  kwargs: arg.open('Further data'),
}

async function payload(ctx: FunctionContext, message: Bound<typeof sendArgs>): Promise<Dict> {
  const { data, kwargs } = message
  const all: Dict = new Map()
  if (truthy(message.with_env)) all.set('environ', part(message.with_env, await ctx.host.env()))
  if (truthy(message.with_grains)) all.set('grains', part(message.with_grains, ctx.grains))
  if (truthy(message.with_pillar)) all.set('pillar', part(message.with_pillar, ctx.pillar))
  if (message.with_env_opts) {
    const saltenv = ctx.opts.get('saltenv')
    all.set('saltenv', saltenv === undefined ? 'base' : saltenv).set('pillarenv', option(ctx.opts, 'pillarenv'))
  }
  for (const [key, value] of [...kwargs, ...(data instanceof Map ? data : [])]) all.set(key, value)
  return all
}

const required = arg.any('Data of the event: a dict, or any value for the master')
const sent = ret.boolean('Whether the event was sent')

export default defineModule({
  name: 'event',
  doc: 'Fire events on the minion and on the master.',
  functions: {
    fire_master: changes({
      doc: 'Fire an event on the master.',
      args: { data: required, tag, preload },
      returns: sent,
      example: 'event.fire_master \'{"data":"my event data"}\' \'tag\'',
      run: (ctx, { tag, data, preload }) => fireMaster(ctx, tag, data, preload),
    }),
    fire: changes({
      doc: 'Fire an event on the minion.',
      args: { data: required, tag },
      returns: sent,
      example: 'event.fire \'{"data":"my event data"}\' \'tag\'',
      run: (ctx, { tag, data }) => fire(ctx, tag, data),
    }),
    send: changes({
      doc: 'Fire an event on the master, or on the minion if it has no master.',
      args: sendArgs,
      returns: sent,
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
