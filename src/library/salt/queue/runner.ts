// Queues of items, mostly minion ids, which `process_queue` sends to the reactor in an event, and of runner calls. They are
// in the embedded store, which has the name of Salt's (`sqlite`), or in a custom queue module.
import { lookup } from '../../../base/mod.ts'
import {
  type Dict,
  dictFrom,
  dumpJson,
  failure,
  intFromText,
  isDict,
  isList,
  loadJson,
  misuse,
  PyError,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineRunner,
  type MasterContext,
  masterFn,
  type QueueStore,
  option as setting,
} from '../../../sdk/mod.ts'

const EMBEDDED = 'sqlite'

type Given = Readonly<Record<string, Value>>

/** Return an item as it is stored. A dict is written as Salt writes it, unless its quotes would be lost. */
function kept(item: Value): string {
  if (!isDict(item)) return str(item)
  const json = dumpJson(item)
  const salts = json.replaceAll('"', "'")
  return json.includes("'") || json.includes('\\"') ? json : salts
}

const keptItems = (items: Value): string[] => (isList(items) ? [...items] : [items]).map(kept)

/** Read a stored runner call. */
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
    throw misuse(text)
  }
}

/** The functions of a queue module in the embedded store. */
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

/** Call a function of a backend: of the custom queue module with its name, or of the embedded store. */
async function ask(ctx: MasterContext, name: string, fun: string, given: Given): Promise<Value> {
  const own = await ctx.ownQueues(name)
  if (own?.has(fun)) return own.call(fun, [], new Map(Object.entries(given)))
  const ours = own === undefined && name === EMBEDDED ? embedded[fun] : undefined
  if (!ours) throw misuse(`Function "${name}.${fun}" is not available`)
  return ours(ctx.queues(), given)
}

const queue = arg.text('Name of the queue')
const items = arg.any('Item of any type, or a list of items')
const backend = arg.text('Queue module', { default: EMBEDDED })
const quantity = arg.any('Number of items, or `all`', { default: 1 })
const popping = {
  queue,
  quantity,
  backend,
  is_runner: arg.boolean('Whether the items are runner calls', { default: false }),
}
const runners = {
  queue: arg.text('Name of the queue. Default: the option `runner_queue`', { optional: true }),
  backend: arg.text('Queue module. Default: the option `runner_queue`', { optional: true }),
}

interface Place {
  queue: string
  backend: string
}

type Popping = Bound<typeof popping>

const processing = {
  ...popping,
  queue: arg.text('Name of the queue. Default: the only queue there is', { optional: true }),
}

/** Return the name of the queue: the given one, or the only existing one. */
async function queueName(ctx: MasterContext, given: string | null, backend: string): Promise<string> {
  if (given !== null) return given
  const names = await ask(ctx, backend, 'list_queues', {})
  const known = isList(names) ? [...names].map(str) : []
  if (known.length === 1) return known[0]!
  if (known.length === 0) throw failure(`No queue is given, and the queue module ${backend} has none`)
  throw failure(`No queue is given. Name one of ${known.sort().join(', ')}`)
}

const pop = (ctx: MasterContext, { queue, quantity, backend, is_runner }: Popping): Promise<Value> =>
  ask(ctx, backend, 'pop', { quantity, queue, is_runner })

/** Pop items and fire them in an event. Return false, after a progress event, if the request is not valid. */
async function processQueue(ctx: MasterContext, popping: Popping): Promise<Dict | false> {
  let items: Value
  try {
    items = await pop(ctx, popping)
  } catch (error) {
    if (!(error instanceof SaltError) || error.code !== 'SaltInvocationError') throw error
    await ctx.progress(new Map([['errors', error.message]]))
    return false
  }
  const data: Dict = dictFrom({ items, backend: popping.backend, queue: popping.queue })
  try {
    await ctx.fire(`salt/queue/${popping.queue}/process`, new Map(data))
  } catch (error) {
    // if the event cannot be fired, the items stay in the queue
    await ask(ctx, popping.backend, 'insert', { items, queue: popping.queue })
    throw error
  }
  return data
}

/** Return the queue of runner calls: as given, or as the option `runner_queue` says. */
function runnerQueue(ctx: MasterContext, given: Bound<typeof runners>): Place {
  const configured = setting(ctx.opts, 'runner_queue') ?? null
  const option = (name: string): Value => (isDict(configured) ? (configured.get(name) ?? null) : null)
  const queue = given.queue ?? option('queue')
  if (queue === null) throw failure('No queue is given, and runner_queue names none')
  return { queue: str(queue), backend: str(given.backend ?? option('backend') ?? EMBEDDED) }
}

async function processRunners(ctx: MasterContext, quantity: Value, given: Place) {
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
      // the calls that have not run stay in the queue
      await ask(ctx, given.backend, 'insert', { items: jobs.slice(index + 1), queue: given.queue })
      throw error
    }
  }
  return null
}

export default defineRunner({
  name: 'queue',
  doc: 'Manage queues of items and of runner calls.',
  functions: {
    insert: masterFn({
      doc: 'Insert items into a queue. An item is not inserted twice.',
      args: { queue, items, backend },
      examples: ['salt-run queue.insert myqueue myitem', `salt-run queue.insert myqueue "['item1', 'item2']"`],
      run: (ctx, { backend, queue, items }) => ask(ctx, backend, 'insert', { items, queue }),
    }),
    delete: masterFn({
      doc: 'Delete items from a queue.',
      args: { queue, items, backend },
      examples: ['salt-run queue.delete myqueue myitem'],
      run: (ctx, { backend, queue, items }) => ask(ctx, backend, 'delete', { items, queue }),
    }),
    list_queues: masterFn({
      doc: 'Return the names of all queues.',
      args: { backend },
      examples: ['salt-run queue.list_queues'],
      run: (ctx, { backend }) => ask(ctx, backend, 'list_queues', {}),
    }),
    list_length: masterFn({
      doc: 'Return the number of items in a queue.',
      args: { queue, backend },
      examples: ['salt-run queue.list_length myqueue'],
      run: (ctx, { backend, queue }) => ask(ctx, backend, 'list_length', { queue }),
    }),
    list_items: masterFn({
      doc: 'Return the items of a queue.',
      args: { queue, backend },
      examples: ['salt-run queue.list_items myqueue'],
      run: (ctx, { backend, queue }) => ask(ctx, backend, 'list_items', { queue }),
    }),
    pop: masterFn({
      doc: 'Remove the first items of a queue and return them.',
      args: popping,
      examples: ['salt-run queue.pop myqueue', 'salt-run queue.pop myqueue all'],
      run: pop,
    }),
    process_queue: masterFn({
      doc: 'Remove the first items of a queue and fire them in the event `salt/queue/<queue>/process`.',
      args: processing,
      examples: ['salt-run queue.process_queue', 'salt-run queue.process_queue myqueue 6'],
      run: async (ctx, { queue, ...rest }) =>
        processQueue(ctx, { ...rest, queue: await queueName(ctx, queue, rest.backend) }),
    }),
    insert_runner: masterFn({
      doc: 'Insert a runner call into a queue.',
      args: {
        fun: arg.text('Runner function'),
        args: arg.any('Arguments: a list of any values, or text with commas', { optional: true }),
        kwargs: arg.any('Dict of keyword arguments', { optional: true }),
        ...runners,
      },
      examples: [`salt-run queue.insert_runner event.send test_insert_runner kwargs='{"data": {"foo": "bar"}}'`],
      run: (ctx, { fun, args, kwargs, ...given }) => {
        const to = runnerQueue(ctx, given)
        const call = new Map<Value, Value>([['fun', fun]])
        call.set('args', typeof args === 'string' ? args.split(',') : (args ?? [])).set('kwargs', kwargs ?? new Map())
        return ask(ctx, to.backend, 'insert', { items: call, queue: to.queue })
      },
    }),
    process_runner: masterFn({
      doc: 'Remove runner calls from a queue and run them.',
      args: { quantity, ...runners },
      examples: ['salt-run queue.process_runner 5'],
      run: (ctx, { quantity, ...given }) => processRunners(ctx, quantity, runnerQueue(ctx, given)),
    }),
  },
})
