// Functions that tell of the server and its containers.
import { type Dict, isDict, loadJson, str, truthy, tuple, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, ret } from '../../../../sdk/mod.ts'
import { asking, further, name, optional, text, value } from './arguments.ts'
import { attempt, docker, factsOf, type Given, inspect, lines, said, stateOf, within } from './cli.ts'
import { configDifference, connectionDifference } from './compare.ts'
import * as container from './containers.ts'
import * as image from './images.ts'
import { listed } from './options.ts'

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

export const telling = {
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
    ret.texts('The names, sorted'),
  ),
  state: asking(
    'Whether a container is running, paused or stopped.',
    { name },
    'state web',
    (ctx, given) => stateOf(ctx, value(given, 'name')),
    ret.string('`running`, `paused` or `stopped`'),
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
  inspect_container: asking(
    'All that is known of a container.',
    { name },
    'inspect_container web',
    (ctx, given) => inspect(ctx, 'container', value(given, 'name')),
    ret.dict('The facts'),
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
    ret.dict('The differences, by section'),
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
    ret.dict('The differences, by network'),
  ),
}
