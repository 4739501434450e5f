// Queues of things to be dealt with later: items, mostly ids of minions, of which `process_queue` makes an event for the reactor,
// and calls of runners. They are in the embedded store, which answers to the name of Salt's, `sqlite`, or in a module of users' own.
import { lookup } from '../../../base/mod.ts'
import {
  type Dict,
  dumpJson,
  intFromText,
  isDict,
  isList,
  loadJson,
  PyError,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  defineRunner,
  type MasterContext,
  masterFn,
  type QueueStore,
  option as setting,
} from '../../../sdk/mod.ts'

const EMBEDDED = 'sqlite'

type Given = Readonly<Record<string, Value>>

/** An item as it is kept. Mappings are written as Salt writes them, unless quotes in them would not come back. */
function kept(item: Value): string {
  if (!isDict(item)) return str(item)
  const json = dumpJson(item)
  const salts = json.replaceAll('"', "'")
  return json.includes("'") || json.includes('\\"') ? json : salts
}

const keptItems = (items: Value): string[] => (isList(items) ? [...items] : [items]).map(kept)

/** The call of a runner as it was put in. */
function callOf(item: string): Value {
  try {
    return loadJson(item)
  } catch {
    return loadJson(item.replaceAll("'", '"'))
  }
}

function countOf(quantity: Value): number | undefined {
  if (quantity === 'all') return undefined
  try {
    return typeof quantity === 'string' ? Number(intFromText(quantity)) : Number(quantity)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    const text = `Quantity must be an integer or "all".\nError: "${error.message}".`
    throw new SaltError('SaltInvocationError', text)
  }
}

/** What the embedded store answers to the calls of a queue module. */
const embedded: Readonly<Record<string, (store: QueueStore, given: Given) => Value>> = lookup({
  insert: (store, { queue, items }) => {
    try {
      store.insert(str(queue!), keptItems(items!))
      return true
    } catch (error) {
      if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'ItemExists') throw error
      const what = isList(items!) ? 'One or more items already exists' : 'Item already exists'
      return `${what} in this queue. sqlite error: ${error.message}`
    }
  },
  delete: (store, { queue, items }) => {
    store.delete(str(queue!), keptItems(items!))
    return true
  },
  list_queues: (store) => store.names(),
  list_length: (store, { queue }) => store.length(str(queue!)),
  list_items: (store, { queue }) => store.items(str(queue!)),
  pop: (store, { queue, quantity, is_runner }) => {
    const items = store.pop(str(queue!), countOf(quantity!))
    return truthy(is_runner!) ? items.map(callOf) : items
  },
})

/** Has the store of a backend do something: a module of users' own of that name, or the embedded one. */
async function ask(ctx: MasterContext, backend: Value, fun: string, given: Given): Promise<Value> {
  const name = str(backend)
  const own = await ctx.ownQueues(name)
  if (own?.has(fun)) return own.call(fun, [], new Map(Object.entries(given)))
  const ours = own === undefined && name === EMBEDDED ? embedded[fun] : undefined
  if (!ours) throw new SaltError('SaltInvocationError', `Function "${name}.${fun}" is not available`)
  return ours(ctx.queues(), given)
}

interface Popping {
  queue: Value
  quantity: Value
  backend: Value
  is_runner: boolean
}

const pop = (ctx: MasterContext, { queue, quantity, backend, is_runner }: Popping): Promise<Value> =>
  ask(ctx, backend, 'pop', { quantity, queue, is_runner })

/** False when it could not be done, which who waits for it is told. */
async function processQueue(ctx: MasterContext, popping: Popping): Promise<Dict | false> {
  let items: Value
  try {
    items = await pop(ctx, popping)
  } catch (error) {
    if (!(error instanceof SaltError) || error.code !== 'SaltInvocationError') throw error
    await ctx.progress(new Map([['errors', error.message]]))
    return false
  }
  const data: Dict = new Map<Value, Value>([
    ['items', items],
    ['backend', popping.backend],
    ['queue', popping.queue],
  ])
  try {
    await ctx.fire(`salt/queue/${str(popping.queue)}/process`, new Map(data))
  } catch (error) {
    // where no reactor hears of them they wait on
    await ask(ctx, popping.backend, 'insert', { items, queue: popping.queue })
    throw error
  }
  return data
}

/** Which queue holds calls of runners: as given, as configured in `runner_queue`, or in the embedded store. */
function runnerQueue(ctx: MasterContext, queue: Value, backend: Value): { queue: Value; backend: Value } {
  const configured = setting(ctx.opts, 'runner_queue') ?? null
  const option = (name: string): Value => (isDict(configured) ? (configured.get(name) ?? null) : null)
  const named = queue ?? option('queue')
  if (named === null) throw new SaltError('CommandExecutionError', 'No queue is given, and runner_queue names none')
  return { queue: named, backend: backend ?? option('backend') ?? EMBEDDED }
}

async function processRunners(ctx: MasterContext, quantity: Value, given: { queue: Value; backend: Value }) {
  const data = await processQueue(ctx, { ...given, quantity, is_runner: true })
  const items = data === false ? [] : (data.get('items') ?? [])
  const jobs = isList(items) ? [...items] : []
  for (const [index, job] of jobs.entries()) {
    if (!isDict(job)) continue
    const [args, kwargs] = [job.get('args') ?? [], job.get('kwargs') ?? new Map()]
    try {
      const keywords = new Map([...(isDict(kwargs) ? kwargs : [])].map(([key, value]) => [str(key), value]))
      await ctx.call(str(job.get('fun') ?? ''), isList(args) ? [...args] : [], keywords)
    } catch (error) {
      // what has not had its turn waits for the next one
      await ask(ctx, given.backend, 'insert', { items: jobs.slice(index + 1), queue: given.queue })
      throw error
    }
  }
  return null
}

const queue = arg.any('The queue')
const items = arg.any('One item, or a list of them')
const backend = arg.any('The store it is in', { default: EMBEDDED })
const popping = {
  queue,
  quantity: arg.any('How many, or `all`', { default: 1 }),
  backend,
  is_runner: arg.boolean('Whether the items are calls of runners', { default: false }),
}
const runners = {
  queue: arg.any('The queue; that of `runner_queue` unless given', { optional: true }),
  backend: arg.any('The store it is in; that of `runner_queue` unless given', { optional: true }),
}

export default defineRunner({
  name: 'queue',
  doc: 'Queues of items to be dealt with later, and of calls of runners.',
  functions: {
    insert: masterFn({
      doc: 'Puts items into a queue. An item that is there already is not put in again.',
      args: { queue, items, backend },
      examples: ['salt-run queue.insert myqueue myitem', `salt-run queue.insert myqueue "['item1', 'item2']"`],
      run: (ctx, { backend, queue, items }) => ask(ctx, backend, 'insert', { items, queue }),
    }),
    delete: masterFn({
      doc: 'Takes items out of a queue.',
      args: { queue, items, backend },
      examples: ['salt-run queue.delete myqueue myitem'],
      run: (ctx, { backend, queue, items }) => ask(ctx, backend, 'delete', { items, queue }),
    }),
    list_queues: masterFn({
      doc: 'The names of all queues.',
      args: { backend },
      examples: ['salt-run queue.list_queues'],
      run: (ctx, { backend }) => ask(ctx, backend, 'list_queues', {}),
    }),
    list_length: masterFn({
      doc: 'How many items are in a queue.',
      args: { queue, backend },
      examples: ['salt-run queue.list_length myqueue'],
      run: (ctx, { backend, queue }) => ask(ctx, backend, 'list_length', { queue }),
    }),
    list_items: masterFn({
      doc: 'The items in a queue.',
      args: { queue, backend },
      examples: ['salt-run queue.list_items myqueue'],
      run: (ctx, { backend, queue }) => ask(ctx, backend, 'list_items', { queue }),
    }),
    pop: masterFn({
      doc: 'Takes the first items out of a queue, and gives them.',
      args: popping,
      examples: ['salt-run queue.pop myqueue', 'salt-run queue.pop myqueue all'],
      run: (ctx, given) => pop(ctx, given),
    }),
    process_queue: masterFn({
      doc: 'Takes the first items out of a queue and fires an event `salt/queue/<queue>/process` with them, for the reactor.',
      args: popping,
      examples: ['salt-run queue.process_queue myqueue 6'],
      run: (ctx, given) => processQueue(ctx, given),
    }),
    insert_runner: masterFn({
      doc: 'Puts the call of a runner function into a queue.',
      args: {
        fun: arg.any('The function'),
        args: arg.any('Its arguments: a list, or text with commas', { optional: true }),
        kwargs: arg.any('Its keywords', { optional: true }),
        ...runners,
      },
      examples: [`salt-run queue.insert_runner event.send test_insert_runner kwargs='{"data": {"foo": "bar"}}'`],
      run: (ctx, { fun, args, kwargs, ...given }) => {
        const to = runnerQueue(ctx, given.queue, given.backend)
        const call = new Map<Value, Value>([['fun', fun]])
        call.set('args', typeof args === 'string' ? args.split(',') : (args ?? [])).set('kwargs', kwargs ?? new Map())
        return ask(ctx, to.backend, 'insert', { items: call, queue: to.queue })
      },
    }),
    process_runner: masterFn({
      doc: 'Takes calls of runners out of a queue and makes them.',
      args: { quantity: arg.any('How many, or `all`', { default: 1 }), ...runners },
      examples: ['salt-run queue.process_runner 5'],
      run: (ctx, { quantity, ...given }) => processRunners(ctx, quantity, runnerQueue(ctx, given.queue, given.backend)),
    }),
  },
})
