// Functions that read about the server and its containers.
import { type Dict, isDict, loadJson, str, truthy, tuple, type Value } from '../../../../data/mod.ts'
import { arg, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import { attempt, docker, factsOf, inspect, lines, name, said, stateOf, within } from './cli.ts'
import { configDifference, connectionDifference } from './compare.ts'
import * as container from './containers.ts'
import * as image from './images.ts'
import { listed } from './options.ts'

async function version(ctx: FunctionContext): Promise<Dict> {
  const facts = within(loadJson(await said(ctx, 'version', '--format', '{{json .}}')), 'Server')
  const server = new Map(isDict(facts) ? facts : [])
  for (const key of ['Version', 'ApiVersion', 'GoVersion']) {
    const numbers = str(server.get(key) ?? '').match(/\d+/g)
    if (numbers) server.set(`${key}Info`, tuple(numbers.map(Number)))
  }
  return server
}

const first = arg.any('Name or ID of a container, or what docker.inspect_container returns')
const all = (kwargs: ReadonlyMap<string, Value>): boolean => truthy(kwargs.get('all') ?? null)

const ofContainers = {
  ps: reads({
    doc: 'Return containers with their properties.',
    args: {
      filters: arg.dict('Filters of `docker ps` by name', { optional: true }),
      kwargs: arg.open('all: whether stopped containers are listed too'),
    },
    returns: ret.dict('Properties by ID'),
    example: 'docker.ps all=True',
    run: (ctx, { filters, kwargs }) => container.list(ctx, all(kwargs), filters),
  }),
  list_containers: reads({
    doc: 'Return the names of containers.',
    args: { kwargs: arg.open('all: whether stopped containers are listed too') },
    returns: ret.texts('Sorted names'),
    run: (ctx, { kwargs }) => container.names(ctx, all(kwargs)),
  }),
  compare_containers: reads({
    doc: 'Compare the configuration of two containers.',
    args: {
      first: name,
      second: name,
      ignore: arg.any('Keys to ignore: a list, or a text with commas', { optional: true }),
    },
    returns: ret.dict('Differences by section'),
    example: 'docker.compare_containers one two',
    run: async (ctx, { first, second, ignore }) => {
      const [one, other] = [await inspect(ctx, 'container', first), await inspect(ctx, 'container', second)]
      const ids = new Map<Value, Value>()
      for (const facts of [one, other]) {
        const used = within(facts, 'Config', 'Image')
        if (used !== null) ids.set(used, await image.resolveId(ctx, str(used)))
      }
      return configDifference(one, other, ignore === null ? [] : listed(ignore), (each) => ids.get(each) ?? each)
    },
  }),
  compare_container_networks: reads({
    doc: 'Compare the networks of two containers.',
    args: { first, second: first },
    returns: ret.dict('Differences by network'),
    example: 'docker.compare_container_networks one two',
    run: async (ctx, { first, second }) =>
      connectionDifference(await factsOf(ctx, 'container', first), await factsOf(ctx, 'container', second)),
  }),
}

const KINDS: Readonly<Record<string, string>> = { A: 'Added', C: 'Changed', D: 'Deleted' }

const ofOneContainer = {
  state: reads({
    doc: 'Return the state of a container.',
    args: { name },
    returns: ret.string('`running`, `paused` or `stopped`'),
    example: 'docker.state web',
    run: (ctx, { name }) => stateOf(ctx, name),
  }),
  exists: reads({
    doc: 'Return whether a container exists.',
    args: { name },
    returns: ret.boolean('Whether the container exists'),
    example: 'docker.exists web',
    run: async (ctx, { name }) => (await attempt(() => inspect(ctx, 'container', name))) !== undefined,
  }),
  inspect: reads({
    doc: 'Return all that Docker knows about a container or an image.',
    args: { name },
    returns: ret.dict('Facts about the container, or else about the image'),
    example: 'docker.inspect web',
    run: async (ctx, { name }) => (await attempt(() => inspect(ctx, 'container', name))) ?? inspect(ctx, 'image', name),
  }),
  inspect_container: reads({
    doc: 'Return all that Docker knows about a container.',
    args: { name },
    returns: ret.dict('Facts about the container'),
    example: 'docker.inspect_container web',
    run: (ctx, { name }) => inspect(ctx, 'container', name),
  }),
  pid: reads({
    doc: 'Return the process ID of a container.',
    args: { name },
    returns: ret.any('Process ID; 0 for a stopped container'),
    example: 'docker.pid web',
    run: async (ctx, { name }) => within(await inspect(ctx, 'container', name), 'State', 'Pid'),
  }),
  port: reads({
    doc: 'Return the published ports of a container.',
    args: { name, private_port: arg.text('Only this port of the container', { optional: true }) },
    returns: ret.dict('Addresses on the host by port of the container'),
    example: 'docker.port web 80/tcp',
    run: async (ctx, { name, private_port }) => {
      const ports = within(await inspect(ctx, 'container', name), 'NetworkSettings', 'Ports')
      const number = (port: Value): string | undefined => str(port).split('/')[0]
      const isWanted = (port: Value): boolean => private_port === null || number(port) === number(private_port)
      return new Map([...(isDict(ports) ? ports : [])].filter(([port]) => isWanted(port)))
    },
  }),
  logs: reads({
    doc: 'Return the output of a container.',
    args: { name, kwargs: arg.open('tail: number of lines; timestamps: whether lines have their time') },
    returns: ret.string('Output, then errors'),
    example: 'docker.logs web',
    run: async (ctx, { name, kwargs }) => {
      const tail = kwargs.get('tail') ?? null
      const flags = [
        ...(tail === null ? [] : [`--tail=${str(tail)}`]),
        ...(truthy(kwargs.get('timestamps') ?? null) ? ['--timestamps'] : []),
      ]
      const { stdout, stderr } = await docker(ctx, ['logs', ...flags, name])
      return `${stdout}${stderr}`
    },
  }),
  top: reads({
    doc: 'Return the processes of a container.',
    args: { name },
    returns: ret.dicts('Columns of `docker top` for each process'),
    example: 'docker.top web',
    run: async (ctx, { name }) => {
      const [head = '', ...rows] = await lines(ctx, 'top', name)
      const titles = head.split(/\s+/)
      const last = titles.length - 1
      return rows.map((row) => {
        const cells = row.split(/\s+/)
        return new Map(titles.map((title, i) => [title, i === last ? cells.slice(i).join(' ') : (cells[i] ?? null)]))
      })
    },
  }),
  diff: reads({
    doc: 'Return the files that a container changed.',
    args: { name },
    returns: ret.dict('Paths by `Added`, `Changed` and `Deleted`'),
    example: 'docker.diff web',
    run: async (ctx, { name }) => {
      const found: Record<string, string[]> = {}
      for (const line of await lines(ctx, 'diff', name)) {
        const kind = KINDS[line.slice(0, 1)]
        if (kind !== undefined) found[kind] = [...(found[kind] ?? []), line.slice(2)]
      }
      return found
    },
  }),
}

export const readingFunctions = {
  version: reads({
    doc: 'Return the versions of the server.',
    returns: ret.dict('Versions by name'),
    run: version,
  }),
  info: reads({
    doc: 'Return information about the server.',
    returns: ret.any('Values by name'),
    run: async (ctx) => loadJson(await said(ctx, 'info', '--format', '{{json .}}')),
  }),
  ...ofContainers,
  ...ofOneContainer,
}
