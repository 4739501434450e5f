// Functions that find and remove unused objects, search for images, and run scripts in containers.
import {
  type Dict,
  dictFrom,
  failure,
  isDict,
  isFailure,
  isList,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { arg, type Bound, changes, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import { docker, inspect, jsonLines, lines, name, said, within } from './cli.ts'
import { exec } from './containers.ts'
import { images, removeImages } from './images.ts'

const image = arg.text('Name or ID of the image')

const short = (id: Value): string =>
  str(id)
    .replace(/^sha256:/, '')
    .slice(0, 12)

/** Return images without a tag that no other image is based on. */
async function dangling(ctx: FunctionContext, prune: boolean, force: boolean): Promise<Value> {
  const ids = await lines(ctx, 'image', 'ls', '--quiet', '--filter', 'dangling=true')
  const found = [...new Set(ids)].map(short)
  if (!prune) return found
  const outcome: Dict = new Map()
  for (const id of found) {
    const removal = await removeImages(ctx, [id], force)
    const errors = removal.get('Errors') ?? []
    const failed = isList(errors) && errors.length > 0
    const comment = new Map<Value, Value>([['Comment', failed ? str(errors[0]!) : '']]).set('Removed', false)
    outcome.set(id, failed ? comment : new Map<Value, Value>([['Removed', removal]]))
  }
  return outcome
}

async function depends(ctx: FunctionContext, name: string) {
  const id = (await inspect(ctx, 'image', name)).get('Id') ?? null
  const ids = await lines(ctx, 'ps', '--all', '--no-trunc', '--quiet')
  const containers: string[] = []
  for (const container of ids) {
    const facts = await inspect(ctx, 'container', container)
    if (facts.get('Image') === id) containers.push(str(facts.get('Name') ?? '').replace(/^\//, ''))
  }
  const all = await images(ctx, true)
  const based = [...all].filter(([, facts]) => within(facts, 'Parent') === id).map(([other]) => short(other))
  return { Containers: containers, Images: based }
}

async function disconnectAll(ctx: FunctionContext, network: string): Promise<string[]> {
  const connected = within(await inspect(ctx, 'network', network), 'Containers')
  const ids = isDict(connected) ? [...connected.values()].map((facts) => str(within(facts, 'Name'))) : []
  const failed: string[] = []
  const done: string[] = []
  for (const container of ids) {
    try {
      await docker(ctx, ['network', 'disconnect', '--', network, container])
      done.push(container)
    } catch (error) {
      if (!isFailure(error)) throw error
      failed.push(container)
    }
  }
  if (failed.length > 0) throw failure(`Failed to disconnect ${failed.join(', ')} from network ${network}`)
  return done
}

const pruning = {
  containers: arg.flag('Whether stopped containers are removed', { default: false }),
  networks: arg.flag('Whether unused networks are removed', { default: false }),
  images: arg.flag('Whether unused images are removed', { default: false }),
  build: arg.flag('Whether the cache of builds is removed', { default: false }),
  volumes: arg.flag('Whether unused volumes are removed', { default: false }),
  system: arg.flag('Whether all of these but volumes are removed. Default: True if none is chosen', { optional: true }),
  filters: arg.open('Filters: dangling, until, label'),
}

/** The program's output for each kind, by its name in the Engine's API. */
const PRUNED: ReadonlyArray<readonly [kind: string, words: readonly string[], key: string, heading: RegExp]> = [
  ['containers', ['container', 'prune'], 'ContainersDeleted', /^Deleted Containers:$/],
  ['images', ['image', 'prune'], 'ImagesDeleted', /^Deleted Images:$/],
  ['networks', ['network', 'prune'], 'NetworksDeleted', /^Deleted Networks:$/],
  ['build', ['builder', 'prune'], 'CachesDeleted', /^Deleted build cache objects:$/],
  ['volumes', ['volume', 'prune'], 'VolumesDeleted', /^Deleted Volumes:$/],
]

async function prune(ctx: FunctionContext, given: Bound<typeof pruning>): Promise<Dict> {
  const { containers, networks, images, build, volumes, filters } = given
  const system = given.system ?? !(containers || networks || images || build)
  const chosen: Record<string, boolean> = { containers, networks, images, build }
  const outcome: Dict = new Map()
  for (const [kind, words, key, heading] of PRUNED) {
    if (kind === 'volumes' ? !volumes : !(system || chosen[kind])) continue
    const flags = kind === 'build' ? [] : filterWords(filters, kind)
    outcome.set(kind, pruned(await said(ctx, ...words, '--force', ...flags), key, heading))
  }
  return outcome
}

/** `dangling=False` corresponds to the program's option --all. */
function filterWords(filters: ReadonlyMap<string, Value>, kind: string): string[] {
  const words: string[] = []
  for (const [filter, value] of filters) {
    if (filter.startsWith('__')) continue
    if (filter === 'dangling') {
      if (kind === 'images' && !truthy(value)) words.push('--all')
    } else if (!(filter === 'until' && kind === 'volumes')) {
      for (const one of isList(value) ? value : str(value).split(',')) words.push('--filter', `${filter}=${str(one)}`)
    }
  }
  return words
}

function pruned(text: string, key: string, heading: RegExp): Dict {
  const rows = text.split('\n').map((row) => row.trim())
  const start = rows.findIndex((row) => heading.test(row))
  const names = start < 0 ? [] : rows.slice(start + 1).filter((row) => row !== '' && !/^Total/.test(row))
  const space = /^Total(?: reclaimed space)?:\s*(.*)$/m.exec(text)?.[1]
  const found: Dict = new Map<Value, Value>([[key, names]])
  return space === undefined ? found : found.set('SpaceReclaimed', space)
}

async function search(ctx: FunctionContext, term: string, official: boolean, trusted: boolean): Promise<Dict> {
  const found: Dict = new Map()
  for (const row of await jsonLines(ctx, 'search', '--no-trunc', '--', term)) {
    const has = (key: string): boolean => ['[OK]', 'true'].includes(str(row.get(key) ?? ''))
    const facts = new Map<Value, Value>([
      ['Description', row.get('Description') ?? ''],
      ['Official', has('IsOfficial')],
      ['Stars', Number(str(row.get('StarCount') ?? 0))],
      ['Trusted', has('IsAutomated')],
    ])
    const isWanted = (!official && !trusted) || (official && has('IsOfficial')) || (trusted && has('IsAutomated'))
    if (isWanted) found.set(row.get('Name') ?? '', facts)
  }
  if (found.size === 0) throw failure(`No images matched the search string '${term}'`)
  return found
}

async function logout(ctx: FunctionContext, registries: readonly Value[]) {
  const configured = await ctx.call('config.get', ['docker-registries'], { default: new Map() })
  const known = isDict(configured) ? [...configured.keys()].map(str) : []
  const results: Dict = new Map()
  const errors: string[] = []
  for (const registry of registries.length > 0 ? registries.map(str) : known) {
    if (!known.includes(registry)) {
      errors.push(`No match found for registry '${registry}'`)
      continue
    }
    try {
      await docker(ctx, ['logout', ...(registry.toLowerCase() === 'hub' ? [] : ['--', registry])])
      results.set(registry, true)
    } catch (error) {
      if (!isFailure(error)) throw error
      results.set(registry, false)
      errors.push((error as Error).message)
    }
  }
  return { retcode: errors.length > 0 ? 1 : 0, Errors: errors, Results: results }
}

const scripting = {
  name,
  source: arg.text('Path or URL of the script'),
  saltenv: arg.text('Environment of the file server', { default: 'base' }),
  args: arg.text('Arguments of the script, as the shell reads them', { optional: true }),
  template: arg.text('Renderer of the script', { optional: true }),
  exec_driver: arg.any('Ignored', { optional: true }),
  stdin: arg.text('Standard input of the script', { optional: true }),
  python_shell: arg.flag('Ignored', { default: true }),
  output_loglevel: arg.any('Ignored', { default: 'debug' }),
  ignore_retcode: arg.flag('Whether a failure is no error in the log', { default: false }),
  use_vt: arg.flag('Ignored', { default: false }),
  keep_env: arg.any('Ignored', { optional: true }),
}

/** Run a script in a container: it is copied there, and removed afterwards. */
async function script(ctx: FunctionContext, given: Bound<typeof scripting>): Promise<Dict> {
  const { name, source, saltenv, args, template, stdin, ignore_retcode } = given
  const folder = str(await ctx.call('temp.dir', []))
  try {
    const local = `${folder}/script`
    const fetched = template
      ? await ctx.call('cp.get_template', [source, local, template, saltenv])
      : await ctx.call('cp.get_file', [source, local], { saltenv })
    if (!truthy(fetched)) {
      return dictFrom({ pid: 0, retcode: 1, stdout: '', stderr: '', cache_error: true })
    }
    const within = `/tmp/salt-${folder.split('/').at(-1)}`
    await docker(ctx, ['cp', local, `${name}:${within}`])
    try {
      await exec(ctx, name, ['chmod', '700', within], new Map())
      const options = new Map<string, Value>([
        ['ignore_retcode', ignore_retcode],
        ['stdin', stdin],
      ])
      return await exec(ctx, name, args === null ? within : `${within} ${args}`, options)
    } finally {
      await exec(ctx, name, ['rm', '-f', within], new Map())
    }
  } finally {
    await ctx.host.removeDirectory(folder, { recursive: true })
  }
}

export const upkeepFunctions = {
  dangling: changes({
    doc: 'Return the images without a tag on which no other image is based, or remove them.',
    args: {
      prune: arg.flag('Whether the images are removed', { default: false }),
      force: arg.flag('Whether images in use are removed too', { default: false }),
    },
    returns: ret.any('IDs, or the outcome by ID'),
    example: 'docker.dangling prune=True',
    run: (ctx, { prune, force }) => dangling(ctx, prune, force),
  }),
  depends: reads({
    doc: 'Return the containers and images that are based on an image.',
    args: { name: image },
    returns: ret.dict('`Containers` and `Images`'),
    example: 'docker.depends myimage',
    run: (ctx, { name }) => depends(ctx, name),
  }),
  layers: reads({
    doc: 'Return the IDs of the layers of an image, the lowest first.',
    args: { name: image },
    returns: ret.texts('IDs; <missing> for layers that were built elsewhere'),
    example: 'docker.layers centos:7',
    run: async (ctx, { name }) => (await lines(ctx, 'history', '--quiet', '--', name)).reverse(),
  }),
  disconnect_all_containers_from_network: changes({
    doc: 'Disconnect all containers from a network.',
    args: { network_id: arg.text('Name or ID of the network') },
    returns: ret.texts('Containers'),
    example: 'docker.disconnect_all_containers_from_network mynet',
    run: (ctx, { network_id }) => disconnectAll(ctx, network_id),
  }),
  prune: changes({
    doc: 'Remove what Docker does not use: stopped containers, networks, images without a tag, and the cache of builds.',
    args: pruning,
    returns: ret.dict('What was removed, by kind'),
    examples: ["salt '*' docker.prune system=True until=12h", "salt '*' docker.prune images=True dangling=False"],
    run: prune,
  }),
  search: reads({
    doc: 'Search the registry of Docker for images.',
    args: {
      name: arg.text('Words to search for'),
      official: arg.flag('Whether only official images are returned', { default: false }),
      trusted: arg.flag('Whether only automated builds are returned', { default: false }),
    },
    returns: ret.dict('`Description`, `Official`, `Stars` and `Trusted` by name'),
    example: 'docker.search centos official=True',
    run: (ctx, { name, official, trusted }) => search(ctx, name, official, trusted),
  }),
  logout: changes({
    doc: 'Log out of registries of the option docker-registries.',
    args: { registries: arg.rest('Registries. Default: all of the option') },
    returns: ret.dict('`Results` by registry, `retcode` and `Errors`'),
    example: 'docker.logout hub',
    run: (ctx, { registries }) => logout(ctx, registries),
  }),
  script: changes({
    doc: 'Run a script of the minion or of the file server in a container.',
    args: scripting,
    returns: ret.dict('What `cmd.run_all` returns'),
    example: 'docker.script mycontainer salt://docker_script.py',
    run: script,
  }),
  script_retcode: changes({
    doc: 'Run a script of the minion or of the file server in a container, and return its exit code.',
    args: scripting,
    returns: ret.number('Exit code'),
    example: 'docker.script_retcode mycontainer salt://docker_script.py',
    run: async (ctx, given) => Number((await script(ctx, given)).get('retcode')),
  }),
}
