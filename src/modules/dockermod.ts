// Docker, through its command line program: containers, images, networks and volumes. A refusal of the daemon is an
// error with the number that its API gives it.
import { type Dict, isDict, isList, loadJson, SaltError, str, truthy, tuple, type Value } from '../data/mod.ts'
import { arg, defineModule, type FunctionContext, fn, ret } from '../sdk/mod.ts'
import { asking, changing, flag, further, name, optional } from './dockermod/arguments.ts'
import { attempt, docker, type Given, inspect, jsonLines, lines, said, stateOf, within } from './dockermod/cli.ts'
import { configDifference, connectionDifference, networkDifference } from './dockermod/compare.ts'
import * as container from './dockermod/containers.ts'
import * as image from './dockermod/images.ts'
import { networkWords } from './dockermod/networks.ts'
import { listed } from './dockermod/options.ts'

const value = (given: Given, key: string): Value => given[key] ?? null
const text = (given: Given, key: string): string => str(value(given, key))

async function version(ctx: FunctionContext): Promise<Dict> {
  const facts = loadJson(await said(ctx, 'version', '--format', '{{json .}}')) as Dict
  const server = new Map(isDict(facts.get('Server') ?? null) ? (facts.get('Server') as Dict) : [])
  for (const key of ['Version', 'ApiVersion', 'GoVersion']) {
    const numbers = str(server.get(key) ?? '').match(/\d+/g)
    if (numbers) server.set(`${key}Info`, tuple(numbers.map(Number)))
  }
  return server
}

async function ids(ctx: FunctionContext, ...images: Value[]): Promise<Map<Value, Value>> {
  const found = new Map<Value, Value>()
  for (const each of images) if (each !== null && each !== undefined) found.set(each, await image.resolveId(ctx, each))
  return found
}

async function compareContainers(ctx: FunctionContext, given: Given): Promise<Dict> {
  const [one, other] = [
    await inspect(ctx, 'container', value(given, 'first')),
    await inspect(ctx, 'container', value(given, 'second')),
  ]
  const known = await ids(ctx, within(one, 'Config', 'Image'), within(other, 'Config', 'Image'))
  const ignore = value(given, 'ignore')
  return configDifference(one, other, ignore === null ? [] : listed(ignore), (each) => known.get(each) ?? each)
}

const factsOf = async (ctx: FunctionContext, kind: 'container' | 'network', given: Value): Promise<Dict> =>
  isDict(given) ? given : inspect(ctx, kind, given)

const telling = {
  version: asking('The version of the server.', {}, 'version', version),
  info: asking('Facts about the server.', {}, 'info', async (ctx) =>
    loadJson(await said(ctx, 'info', '--format', '{{json .}}')),
  ),
  ps: asking(
    'Containers by ID.',
    { filters: optional('Filters by name'), kwargs: further('all: also those that do not run') },
    'ps all=True',
    (ctx, given, kwargs) => container.list(ctx, truthy(kwargs.get('all') ?? null), value(given, 'filters')),
  ),
  list_containers: asking(
    'The names of containers.',
    { kwargs: further('all: also those that do not run') },
    'list_containers',
    (ctx, _given, kwargs) => container.names(ctx, truthy(kwargs.get('all') ?? null)),
  ),
  state: asking('Whether a container is running, paused or stopped.', { name }, 'state web', (ctx, given) =>
    stateOf(ctx, value(given, 'name')),
  ),
  exists: asking(
    'Whether there is a container.',
    { name },
    'exists web',
    async (ctx, given) => (await attempt(() => inspect(ctx, 'container', value(given, 'name')))) !== undefined,
  ),
  inspect: asking(
    'A container or image, with all that is known.',
    { name },
    'inspect web',
    async (ctx, given) =>
      (await attempt(() => inspect(ctx, 'container', value(given, 'name')))) ??
      inspect(ctx, 'image', value(given, 'name')),
  ),
  inspect_container: asking('All that is known of a container.', { name }, 'inspect_container web', (ctx, given) =>
    inspect(ctx, 'container', value(given, 'name')),
  ),
  pid: asking('The process ID of a container.', { name }, 'pid web', async (ctx, given) =>
    within(await inspect(ctx, 'container', value(given, 'name')), 'State', 'Pid'),
  ),
  port: asking(
    'How ports of a container are published.',
    { name, private_port: optional('One port') },
    'port web 80/tcp',
    async (ctx, given) => {
      const ports = within(await inspect(ctx, 'container', value(given, 'name')), 'NetworkSettings', 'Ports')
      const wanted = value(given, 'private_port')
      const isWanted = (key: Value): boolean => wanted === null || str(key).split('/')[0] === str(wanted).split('/')[0]
      return new Map([...(isDict(ports) ? ports : [])].filter(([key]) => isWanted(key)))
    },
  ),
  logs: asking(
    'What a container printed.',
    { name, kwargs: further('tail, timestamps') },
    'logs web',
    async (ctx, given, kwargs) => {
      const tail = kwargs.get('tail') ?? null
      const flags = [
        ...(tail === null ? [] : [`--tail=${str(tail)}`]),
        ...(truthy(kwargs.get('timestamps') ?? null) ? ['--timestamps'] : []),
      ]
      const { stdout, stderr } = await docker(ctx, ['logs', ...flags, text(given, 'name')])
      return `${stdout}${stderr}`
    },
  ),
  top: asking('The processes of a container.', { name }, 'top web', async (ctx, given) => {
    const [head = '', ...rows] = await lines(ctx, 'top', text(given, 'name'))
    const titles = head.split(/\s+/)
    return rows.map((row) => {
      const cells = row.split(/\s+/)
      return new Map(titles.map((title, i) => [title, i === titles.length - 1 ? cells.slice(i).join(' ') : cells[i]!]))
    })
  }),
  diff: asking('Files that a container changed.', { name }, 'diff web', async (ctx, given) => {
    const kinds: Readonly<Record<string, string>> = { A: 'Added', C: 'Changed', D: 'Deleted' }
    const found: Dict = new Map()
    for (const line of await lines(ctx, 'diff', text(given, 'name'))) {
      const kind = kinds[line[0]!]!
      found.set(kind, [...((found.get(kind) ?? []) as Value[]), line.slice(2)])
    }
    return found
  }),
  compare_containers: asking(
    'How the configuration of two containers differs.',
    { first: name, second: name, ignore: optional('Keys that do not count') },
    'compare_containers one two',
    compareContainers,
  ),
  compare_container_networks: asking(
    'How the networks of two containers differ.',
    { first: name, second: name },
    'compare_container_networks one two',
    async (ctx, given) =>
      connectionDifference(
        await factsOf(ctx, 'container', value(given, 'first')),
        await factsOf(ctx, 'container', value(given, 'second')),
      ),
  ),
}

const pictures = {
  images: asking(
    'Images by ID.',
    { verbose: flag('Whether all is told'), kwargs: further('all: untagged ones too') },
    'images',
    (ctx, _given, kwargs) => image.images(ctx, truthy(kwargs.get('all') ?? null)),
  ),
  list_tags: asking('The tags of images.', {}, 'list_tags', (ctx) => image.tags(ctx)),
  inspect_image: asking('All that is known of an image.', { name }, 'inspect_image nginx', (ctx, given) =>
    inspect(ctx, 'image', value(given, 'name')),
  ),
  resolve_image_id: asking('The ID of an image, or false.', { name }, 'resolve_image_id nginx', (ctx, given) =>
    image.resolveId(ctx, value(given, 'name')),
  ),
  resolve_tag: asking(
    'The tag of an image, or false.',
    { name, kwargs: further('all: every tag') },
    'resolve_tag nginx',
    (ctx, given, kwargs) => image.resolveTag(ctx, value(given, 'name'), truthy(kwargs.get('all') ?? null)),
  ),
  history: asking(
    'The layers of an image.',
    { name, quiet: flag('Only the commands') },
    'history nginx',
    async (ctx, given) => {
      const rows = await jsonLines(ctx, 'history', '--no-trunc', text(given, 'name'))
      return truthy(value(given, 'quiet')) ? rows.map((row) => row.get('CreatedBy')!) : rows
    },
  ),
  pull: changing(
    'Fetch an image.',
    {
      image: arg.any('The image'),
      insecure_registry: flag('Accepted, and left to the daemon'),
      api_response: flag('Accepted'),
      client_timeout: arg.any('Accepted', { default: 60 }),
    },
    'pull nginx:latest',
    (ctx, given) => image.pull(ctx, value(given, 'image')),
  ),
  push: changing(
    'Send an image to its registry.',
    {
      image: arg.any('The image'),
      insecure_registry: flag('Accepted'),
      api_response: flag('Accepted'),
      client_timeout: arg.any('Accepted', { default: 60 }),
    },
    'push registry/app',
    async (ctx, given) => ({
      Status: (await lines(ctx, 'push', text(given, 'image'))).at(-1) ?? '',
      retcode: 0,
    }),
  ),
  tag: changing(
    'Give an image a further name.',
    {
      name,
      repository: arg.any('The repository'),
      tag: arg.any('The tag', { default: 'latest' }),
      force: flag('Accepted'),
    },
    'tag 0123456789ab myrepo/mycontainer',
    async (ctx, given) => {
      await docker(ctx, ['tag', text(given, 'name'), `${text(given, 'repository')}:${text(given, 'tag')}`])
      return true
    },
  ),
  rmi: fn({
    doc: 'Remove images.',
    args: { names: arg.rest('The images'), kwargs: arg.open('force') },
    returns: ret.dict('`Layers` and `Tags` that are gone'),
    examples: ["salt '*' docker.rmi nginx"],
    effect: 'change',
    run: (ctx, { names, kwargs }) => image.removeImages(ctx, names, truthy(kwargs.get('force') ?? null)),
  }),
  build: changing(
    'Build an image.',
    {
      path: optional('The directory'),
      repository: optional('The name'),
      tag: optional('The tag'),
      cache: flag('Whether layers are reused', true),
      rm: flag('Accepted', true),
      api_response: flag('Accepted'),
      fileobj: optional('Accepted'),
      dockerfile: optional('The file that says how'),
      buildargs: optional('Arguments of the build'),
      network_mode: optional('The network of the build'),
      labels: optional('Labels'),
      cache_from: optional('Images whose layers are reused'),
      target: optional('The stage'),
    },
    'build /path/to/build/dir repository=app tag=1',
    async (ctx, given) => {
      const full = `${text(given, 'repository')}:${text(given, 'tag')}`
      const pairs = isDict(value(given, 'buildargs')) ? [...(value(given, 'buildargs') as Dict)] : []
      const flags = [
        ...(value(given, 'repository') === null ? [] : [`--tag=${full}`]),
        ...(truthy(value(given, 'cache')) ? [] : ['--no-cache']),
        ...(value(given, 'dockerfile') === null ? [] : [`--file=${text(given, 'path')}/${text(given, 'dockerfile')}`]),
        ...(value(given, 'network_mode') === null ? [] : [`--network=${text(given, 'network_mode')}`]),
        ...(value(given, 'target') === null ? [] : [`--target=${text(given, 'target')}`]),
        ...pairs.map(([key, inner]) => `--build-arg=${str(key)}=${str(inner)}`),
      ]
      const id = str(
        await image.resolveId(
          ctx,
          (await said(ctx, 'build', '--quiet', ...flags, text(given, 'path'))).split('\n').at(-1)!,
        ),
      )
      return { Id: id.replace(/^sha256:/, '').slice(0, 12), Image: value(given, 'repository') === null ? id : full }
    },
  ),
  load: changing(
    'Load images from a file.',
    { path: arg.any('The file'), repository: optional('A name for it'), tag: optional('A tag for it') },
    'load /tmp/app.tar',
    async (ctx, given) => {
      const told = await lines(ctx, 'load', `--input=${text(given, 'path')}`)
      const loaded = told
        .map((line) => /^Loaded image(?: ID)?: (.*)$/.exec(line)?.[1])
        .filter((each) => each !== undefined)
      const full =
        value(given, 'repository') === null
          ? undefined
          : `${text(given, 'repository')}:${str(value(given, 'tag') ?? 'latest')}`
      if (full !== undefined && loaded[0] !== undefined && loaded[0] !== full)
        await docker(ctx, ['tag', loaded[0], full])
      return { Path: value(given, 'path'), Layers: loaded, Image: full ?? loaded[0] ?? '' }
    },
  ),
  save: changing(
    'Save an image in a file.',
    { name, path: arg.any('The file') },
    'save app /tmp/app.tar',
    async (ctx, given) => {
      await docker(ctx, ['save', `--output=${text(given, 'path')}`, text(given, 'name')])
      return { Path: value(given, 'path'), Size: (await ctx.host.stat(text(given, 'path')))?.size ?? 0 }
    },
  ),
  commit: changing(
    'Make an image of a container.',
    {
      name,
      repository: arg.any('The name'),
      tag: arg.any('The tag', { default: 'latest' }),
      message: optional('A message'),
      author: optional('Who made it'),
    },
    'commit web app 1',
    async (ctx, given) => {
      const full = `${text(given, 'repository')}:${text(given, 'tag')}`
      const notes = ['message', 'author'].flatMap((key) =>
        value(given, key) === null ? [] : [`--${key}=${text(given, key)}`],
      )
      return {
        Id: (await said(ctx, 'commit', ...notes, text(given, 'name'), full)).replace(/^sha256:/, ''),
        Image: full,
      }
    },
  ),
}

const state = (verb: string, expected: string, doc: string) =>
  changing(doc, { name }, `${verb} web`, (ctx, given) => container.change(ctx, value(given, 'name'), [verb], expected))

const wishes = further('Options of the container: binds, environment, port_bindings, restart_policy, …')

const lifecycle = {
  create: changing(
    'Make a container.',
    { image: arg.any('The image'), name: optional('Its name'), kwargs: wishes },
    'create nginx name=web',
    async (ctx, given, kwargs) => {
      if ((await image.resolveId(ctx, value(given, 'image'))) === false) await image.pull(ctx, value(given, 'image'))
      const made = await container.create(ctx, value(given, 'image'), value(given, 'name'), kwargs)
      if (truthy(kwargs.get('start') ?? null))
        made.set('Started', (await container.start(ctx, made.get('Name')!)).get('result')!)
      return made
    },
  ),
  run_container: changing(
    'Make a container, start it and wait for its end.',
    {
      image: arg.any('The image'),
      name: optional('Its name'),
      bg: flag('Whether nobody waits'),
      replace: flag('Whether one of that name goes first'),
      force: flag('Even when it runs'),
      networks: optional('Networks and how it joins them'),
      kwargs: wishes,
    },
    'run_container alpine command="echo hi"',
    (ctx, given, kwargs) => container.run(ctx, given, kwargs),
  ),
  start: changing('Start a container.', { name }, 'start web', (ctx, given) =>
    container.start(ctx, value(given, 'name')),
  ),
  stop: changing(
    'Stop a container.',
    { name, timeout: optional('Seconds until it is killed'), kwargs: further('unpause') },
    'stop web',
    (ctx, given, kwargs) =>
      container.stop(ctx, value(given, 'name'), value(given, 'timeout'), truthy(kwargs.get('unpause') ?? null)),
  ),
  restart: changing(
    'Restart a container.',
    { name, timeout: arg.any('Seconds until it is killed', { default: 10 }) },
    'restart web',
    async (ctx, given) => {
      const outcome = await container.change(
        ctx,
        value(given, 'name'),
        ['restart', `--time=${text(given, 'timeout')}`],
        'running',
      )
      if (truthy(outcome.get('result')!)) outcome.set('restarted', true)
      return outcome
    },
  ),
  kill: state('kill', 'stopped', 'Kill a container.'),
  pause: state('pause', 'paused', 'Pause a container.'),
  unpause: state('unpause', 'running', 'Let a paused container go on.'),
  signal: changing(
    'Send a signal to a container.',
    { name, signal: arg.any('The signal') },
    'signal web SIGHUP',
    async (ctx, given) => {
      await docker(ctx, ['kill', `--signal=${text(given, 'signal')}`, text(given, 'name')])
      return true
    },
  ),
  rename: changing(
    'Rename a container.',
    { name, new_name: arg.any('The new name') },
    'rename foo bar',
    async (ctx, given) => {
      const id = (await inspect(ctx, 'container', value(given, 'name'))).get('Id')!
      await docker(ctx, ['rename', str(id), text(given, 'new_name')])
      return (await inspect(ctx, 'container', value(given, 'new_name'))).get('Id') === id
    },
  ),
  rm: changing(
    'Remove a container.',
    { name, force: flag('Even when it runs'), volumes: flag('With its volumes'), kwargs: further('stop, timeout') },
    'rm web',
    (ctx, given, kwargs) =>
      container.remove(ctx, value(given, 'name'), {
        force: truthy(value(given, 'force')),
        volumes: truthy(value(given, 'volumes')),
        stop: truthy(kwargs.get('stop') ?? null),
        timeout: kwargs.get('timeout') ?? null,
      }),
  ),
  wait: changing(
    'Wait until a container has ended.',
    {
      name,
      ignore_already_stopped: flag('Whether one that has ended is fine'),
      fail_on_exit_status: flag('Whether its exit code counts'),
    },
    'wait web',
    async (ctx, given) => {
      const before = await attempt(() => stateOf(ctx, value(given, 'name')))
      const lenient = truthy(value(given, 'ignore_already_stopped'))
      if (before === undefined) return { result: lenient, comment: `Container '${text(given, 'name')}' absent` }
      const code = Number(await said(ctx, 'wait', text(given, 'name')))
      const after = (await attempt(() => stateOf(ctx, value(given, 'name')))) ?? null
      const ended = before === 'stopped' ? lenient : after === 'stopped'
      const result = ended && !(truthy(value(given, 'fail_on_exit_status')) && code !== 0)
      const note = before === 'stopped' ? { comment: `Container '${text(given, 'name')}' already stopped` } : {}
      return { result, state: { old: before, new: after }, exit_status: code, ...note }
    },
  ),
}

const command = { name, cmd: arg.any('The command'), kwargs: further('stdin, user, workdir, ignore_retcode, …') }
const part =
  (key: 'stdout' | 'stderr' | 'retcode') =>
  async (ctx: FunctionContext, given: Given, kwargs: ReadonlyMap<string, Value>) =>
    (await container.exec(ctx, value(given, 'name'), value(given, 'cmd'), kwargs)).get(key)

const inside = {
  run: changing(
    'Run a command in a container; its output.',
    command,
    "run web 'ls -l /'",
    async (ctx, given, kwargs) => {
      const outcome = await container.exec(ctx, value(given, 'name'), value(given, 'cmd'), kwargs)
      return [outcome.get('stdout')!, outcome.get('stderr')!]
        .filter((text) => text !== '')
        .map((text) => str(text))
        .join('\n')
    },
  ),
  run_all: changing(
    'Run a command in a container; all that came back.',
    command,
    "run_all web 'ls -l /'",
    (ctx, given, kwargs) => container.exec(ctx, value(given, 'name'), value(given, 'cmd'), kwargs),
  ),
  run_stdout: changing(
    'Run a command in a container; its output.',
    command,
    "run_stdout web 'ls -l /'",
    part('stdout'),
  ),
  run_stderr: changing(
    'Run a command in a container; its errors.',
    command,
    "run_stderr web 'ls -l /'",
    part('stderr'),
  ),
  retcode: changing('Run a command in a container; its exit code.', command, "retcode web 'ls -l /'", part('retcode')),
}

const network_id = arg.any('The network')
const containerArg = arg.any('The container')

async function allNetworks(ctx: FunctionContext, given: Given): Promise<Dict[]> {
  const [names, ids] = ['names', 'ids'].map((key) =>
    value(given, key) === null ? undefined : listed(value(given, key)),
  )
  const found = await lines(ctx, 'network', 'ls', '--no-trunc', '--quiet')
  const facts = found.length > 0 ? (loadJson(await said(ctx, 'network', 'inspect', ...found)) as Dict[]) : []
  return facts.filter(
    (net) =>
      (!names || names.includes(str(net.get('Name')!))) &&
      (!ids || ids.some((id) => str(net.get('Id')!).startsWith(id))),
  )
}

const networks = {
  networks: asking(
    'Networks.',
    { names: optional('Only these'), ids: optional('Only these') },
    'networks',
    allNetworks,
  ),
  inspect_network: asking('All that is known of a network.', { network_id }, 'inspect_network web', (ctx, given) =>
    inspect(ctx, 'network', value(given, 'network_id')),
  ),
  connected: asking(
    'The containers in a network.',
    { name, verbose: flag('Whether all is told') },
    'connected web',
    async (ctx, given) => {
      const found = within(await inspect(ctx, 'network', value(given, 'name')), 'Containers')
      const members = [...(isDict(found) ? found : new Map<Value, Value>())].map(
        ([id, facts]) => [within(facts, 'Name'), new Map([...(facts as Dict), ['Id', id]])] as const,
      )
      return truthy(value(given, 'verbose')) ? new Map<Value, Value>(members) : members.map(([each]) => each)
    },
  ),
  create_network: changing(
    'Make a network.',
    { name, kwargs: further('driver, options, internal, labels, subnet, gateway, ip_range, …') },
    'create_network web driver=bridge',
    async (ctx, given, kwargs) => ({
      Id: await said(ctx, 'network', 'create', ...networkWords(kwargs), text(given, 'name')),
      Warning: '',
    }),
  ),
  remove_network: changing('Remove a network.', { network_id }, 'remove_network web', async (ctx, given) => {
    await docker(ctx, ['network', 'rm', text(given, 'network_id')])
    return true
  }),
  connect_container_to_network: changing(
    'Let a container join a network.',
    { container: containerArg, net_id: network_id, kwargs: further('ipv4_address, ipv6_address, links, aliases') },
    'connect_container_to_network web-1 web',
    (ctx, given, kwargs) => container.connect(ctx, value(given, 'container'), value(given, 'net_id'), kwargs),
  ),
  disconnect_container_from_network: changing(
    'Let a container leave a network.',
    { container: containerArg, network_id },
    'disconnect_container_from_network web-1 web',
    async (ctx, given) => {
      await docker(ctx, ['network', 'disconnect', text(given, 'network_id'), text(given, 'container')])
      return true
    },
  ),
  compare_networks: asking(
    'How two networks differ.',
    { first: name, second: name, ignore: arg.any('Keys that do not count', { default: 'Name,Id,Created,Containers' }) },
    'compare_networks one two',
    async (ctx, given) =>
      networkDifference(
        await factsOf(ctx, 'network', value(given, 'first')),
        await factsOf(ctx, 'network', value(given, 'second')),
        listed(value(given, 'ignore')),
      ),
  ),
}

const volumes = {
  volumes: asking('Volumes.', { filters: optional('Filters by name') }, 'volumes', async (ctx, given) => {
    const filters = isDict(value(given, 'filters')) ? [...(value(given, 'filters') as Dict)] : []
    const flags = filters.flatMap(([key, inner]) =>
      (isList(inner) ? (inner as Value[]) : [inner]).map((each) => `--filter=${str(key)}=${str(each)}`),
    )
    const found = await lines(ctx, 'volume', 'ls', '--quiet', ...flags)
    return {
      Volumes: found.length > 0 ? (loadJson(await said(ctx, 'volume', 'inspect', ...found)) as Value[]) : null,
      Warnings: null,
    }
  }),
  create_volume: changing(
    'Make a volume.',
    { name, driver: optional('The driver'), driver_opts: optional('Options of the driver') },
    'create_volume data driver=local',
    async (ctx, given) => {
      const options = isDict(value(given, 'driver_opts')) ? [...(value(given, 'driver_opts') as Dict)] : []
      const driver = value(given, 'driver') === null ? [] : [`--driver=${text(given, 'driver')}`]
      await docker(ctx, [
        'volume',
        'create',
        ...driver,
        ...options.map(([key, inner]) => `--opt=${str(key)}=${str(inner)}`),
        text(given, 'name'),
      ])
      return inspect(ctx, 'volume', value(given, 'name'))
    },
  ),
  inspect_volume: asking('All that is known of a volume.', { name }, 'inspect_volume data', (ctx, given) =>
    inspect(ctx, 'volume', value(given, 'name')),
  ),
  remove_volume: changing('Remove a volume.', { name }, 'remove_volume data', async (ctx, given) => {
    await docker(ctx, ['volume', 'rm', text(given, 'name')])
    return true
  }),
}

async function login(ctx: FunctionContext, registries: readonly Value[]): Promise<Dict> {
  const configured = await ctx.call('config.get', ['docker-registries'], { default: new Map() })
  const results: Dict = new Map()
  const errors: Value[] = []
  for (const [registry, credentials] of isDict(configured) ? configured : []) {
    if (registries.length > 0 && !registries.includes(registry)) continue
    const [username, password] = ['username', 'password'].map((key) => str(within(credentials, key)))
    try {
      const server = registry === 'hub' ? [] : [str(registry)]
      await docker(ctx, ['login', `--username=${username}`, '--password-stdin', ...server], password)
      results.set(registry, true)
    } catch (error) {
      if (!(error instanceof SaltError)) throw error
      results.set(registry, false)
      errors.push(error.message)
    }
  }
  return new Map<Value, Value>([
    ['Results', results],
    ['retcode', errors.length > 0 ? 1 : 0],
    ...(errors.length > 0 ? ([['Errors', errors]] as [Value, Value][]) : []),
  ])
}

export default defineModule({
  name: 'dockermod',
  virtual: 'docker',
  doc: 'Work with Docker.',
  when: async ({ host }) => (await host.which('docker')) !== undefined || 'The program docker was not found',
  functions: {
    ...telling,
    ...pictures,
    ...lifecycle,
    ...inside,
    ...networks,
    ...volumes,
    login: fn({
      doc: 'Log in to registries, with what the option docker-registries says.',
      args: { registries: arg.rest('Only these') },
      returns: ret.dict('Whether each worked'),
      examples: ["salt '*' docker.login hub"],
      effect: 'change',
      run: (ctx, { registries }) => login(ctx, registries),
    }),
  },
})
