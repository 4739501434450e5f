// A container that runs with the wanted configuration. The state creates a second container with that configuration,
// which is never started, and compares the two.
import { type Dict, dictFrom, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { parseNetworks, resolveImage, settingsOf } from './prepare.ts'
import { answered, type Given } from './report.ts'

interface Task {
  ctx: StateContext
  name: string
  image: string
  given: Given
  options: Record<string, Value>
  networks: Dict
  changes: Record<string, Value>
  comments: string[]
}

function reported({ name, changes, comments }: Task, result: boolean | null): StateReturn {
  const comment = `${comments.join('. ')}${comments.length > 1 ? '.' : ''}`
  return { name, changes, result, comment }
}

function failed(task: Task, comment: string): StateReturn {
  task.comments.push(comment)
  return reported(task, false)
}

async function connect(task: Task, container: string): Promise<string | undefined> {
  for (const network of task.networks.keys()) {
    const keywords = settingsOf(task.networks, network)
    const answer = await answered(() =>
      task.ctx.call('docker.connect_container_to_network', [container, network], keywords),
    )
    if ('refusal' in answer) return answer.refusal
  }
  return undefined
}

const networksOf = (container: Dict): Dict => {
  const settings = container.get('NetworkSettings') ?? null
  const networks = isDict(settings) ? (settings.get('Networks') ?? null) : null
  return isDict(networks) ? networks : new Map()
}

/** Disconnect a container from the networks that are not wanted, if networks are given. */
async function leaveOthers(task: Task, container: string): Promise<void> {
  if ((task.given['networks'] ?? null) === null) return
  const facts = await task.ctx.call('docker.inspect_container', [container])
  for (const network of networksOf(facts).keys()) {
    if (!task.networks.has(network))
      await task.ctx.call('docker.disconnect_container_from_network', [container, network])
  }
}

interface Made {
  id: Value
  name: string
}

/** Create a container with the wanted configuration and networks. */
async function make(task: Task, name: string | null): Promise<Made | { refusal: string }> {
  const { ctx, image, options } = task
  const answer = await answered(() => ctx.call('docker.create', [image], { ...options, name }))
  if ('refusal' in answer) return answer
  const made = { id: (answer.value as Dict).get('Id')!, name: str((answer.value as Dict).get('Name')!) }
  const refusal = await connect(task, made.name)
  if (refusal !== undefined) {
    await ctx.call('docker.rm', [made.name])
    return { refusal }
  }
  await leaveOthers(task, made.name)
  return made
}

async function replace(task: Task, made: Made): Promise<boolean> {
  const { ctx, name, given, changes, comments } = task
  const timeout = given['shutdown_timeout'] ?? null
  const removed = await ctx.call('docker.rm', [name], { stop: true, ...(timeout !== null && { timeout }) })
  const renamed = await answered(() => ctx.call('docker.rename', [made.name, name]))
  const done = 'value' in renamed && truthy(renamed.value)
  if ('refusal' in renamed) comments.push(`Failed to rename temp container: ${renamed.refusal}`)
  comments.push(done ? `Replaced container '${name}'` : `Failed to replace container '${name}'`)
  changes['container_id'] = dictFrom({ removed, added: made.id })
  return done
}

/** Return the differences between the container and the one created for comparison. */
async function differences({ ctx, name }: Task, made: Made): Promise<Dict> {
  const ignore = 'Hostname,MacAddress'
  const found = new Map(await ctx.call('docker.compare_containers', [name, made.name], { ignore }))
  const networks = await ctx.call('docker.compare_container_networks', [name, made.name])
  if (networks.size > 0) found.set('Networks', networks)
  return found
}

async function signal(task: Task): Promise<StateReturn | undefined> {
  const { ctx, name, given, changes, comments } = task
  const action = str(given['watch_action'] ?? 'force')
  if (ctx.test) comments.push(`Signal ${action} would be sent to container`)
  else {
    const sent = await answered(() => ctx.call('docker.signal', [name], { signal: action }))
    if ('refusal' in sent) return failed(task, `Failed to signal container: ${sent.refusal}`)
    changes['signal'] = action
    comments.push(`Sent signal ${action} to container`)
  }
  return undefined
}

/** Replace the container if it differs, and return whether it was replaced. */
async function compareAndReplace(task: Task): Promise<boolean | StateReturn> {
  const { ctx, name, changes, comments, given } = task
  const made = await make(task, null)
  if ('refusal' in made) return failed(task, made.refusal)
  let used = false
  try {
    const different = await differences(task, made)
    if (different.size > 0) {
      changes['container'] = different
      if (ctx.test) {
        comments.push(`Container '${name}' would be replaced`)
        return reported(task, null)
      }
      used = await replace(task, made)
      return used ? true : reported(task, false)
    }
  } finally {
    if (!used) await ctx.call('docker.rm', [made.name])
  }
  if (truthy(given['send_signal'] ?? null)) return (await signal(task)) ?? false
  comments.push(`Container '${name}' is already configured as specified`)
  return false
}

async function started(task: Task, before: Value, isNew: boolean): Promise<StateReturn> {
  const { ctx, name, given, changes, comments } = task
  const starts = truthy(given['start'] ?? true)
  let after: Value = before
  if (starts && (isNew || before !== 'running')) {
    if (ctx.test) {
      comments.push('Container would be started')
      return reported(task, null)
    }
    const answer = await answered(() => ctx.call('docker.start', [name]))
    if ('refusal' in answer) return failed(task, `Failed to start container '${name}': '${answer.refusal}'`)
    after = ((answer.value as Dict).get('state') as Dict).get('new') ?? null
  } else if (isNew) after = await ctx.call('docker.state', [name])
  if (before !== after) {
    changes['state'] = dictFrom({ old: before, new: after })
    if (before !== null) comments.push(`State changed from '${str(before)}' to '${str(after)}'`)
  }
  return after !== 'running' && starts ? failed(task, 'Container is not running') : reported(task, true)
}

interface Present {
  image: Value
  state: Value
}

async function settle(task: Task, imageId: Value, present: Present | null): Promise<StateReturn> {
  const { ctx, name, given, changes, comments } = task
  const force = truthy(given['force'] ?? null)
  const otherImage = present !== null && present.image !== imageId
  const imageChange = dictFrom({ old: present?.image ?? null, new: imageId })
  if (present && !force && !otherImage) {
    const replaced = await compareAndReplace(task)
    return typeof replaced === 'boolean' ? started(task, present.state, replaced) : replaced
  }
  if (ctx.test) {
    if (force) changes['forced_update'] = true
    else changes['image'] = imageChange
    comments.push(`Container '${name}' would be ${present ? 'replaced' : 'created'}`)
    return reported(task, null)
  }
  const made = await make(task, present ? null : name)
  if ('refusal' in made) return failed(task, made.refusal)
  if (present) {
    if (!(await replace(task, made))) return reported(task, false)
  } else {
    comments.push(`Created container '${name}'`)
    changes['container_id'] = new Map([['added', made.id]])
  }
  const outcome = await started(task, present?.state ?? null, true)
  if (!otherImage) return outcome
  comments.push('Container has a new image')
  changes['image'] = imageChange
  return reported(task, outcome.result)
}

export async function keepRunning(ctx: StateContext, given: Given, options: Map<string, Value>): Promise<StateReturn> {
  const name = str(given['name']!)
  const image = given['image'] ?? null
  const changes: Record<string, Value> = {}
  if (image === null) return { name, changes, result: false, comment: "The 'image' argument is required" }
  const task = {
    ctx,
    name,
    image: str(image),
    given,
    options: Object.fromEntries(options),
    networks: new Map(),
    changes,
    comments: [],
  }
  const prepared = await answered(async () => {
    task.networks = await parseNetworks(ctx, given['networks'] ?? null)
    return resolveImage(ctx, task.image, changes)
  })
  if ('refusal' in prepared) return failed(task, prepared.refusal)
  const facts = await answered(() => ctx.call('docker.inspect_container', [name]))
  const present =
    'refusal' in facts
      ? null
      : { image: (facts.value as Dict).get('Image') ?? null, state: await ctx.call('docker.state', [name]) }
  return settle(task, prepared.value, present)
}
