// Configuration files as trees, read and changed with Augeas.
import { iterate, misuse, PyError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, type Result, reads, ret } from '../../../sdk/mod.ts'
import { type AugeasCommand, parseAugeasCommand } from './augeas-command.ts'
import { augtool, nodes, pathWord, quoted, type Session } from './module/augtool.ts'

/** The numbers of arguments that a method takes. */
const COUNTS: Readonly<Record<AugeasCommand['method'], readonly number[]>> = {
  set: [1, 2],
  setm: [2, 3],
  move: [2],
  insert: [3],
  remove: [1],
}

/** Return a command as a line of augtool, with its path below the context. */
function toolLine({ method, parts }: AugeasCommand, context: string): string {
  if (!COUNTS[method].includes(parts.length)) throw new PyError('ValueError', `${method} takes other arguments`)
  const below = (path: string): string => {
    if (context === '' || path.startsWith(context)) return pathWord(path)
    const rest = path.replace(/^\/+/, '')
    return pathWord(rest === '' ? context : `${context.replace(/\/$/, '')}/${rest}`)
  }
  const [first = '', second, third] = parts
  if (method === 'set') return second === undefined ? `clear ${below(first)}` : `set ${below(first)} ${quoted(second)}`
  if (method === 'setm') {
    return third === undefined ? `clearm ${below(first)} ${second}` : `setm ${below(first)} ${second} ${quoted(third)}`
  }
  if (method === 'move') return `mv ${below(first)} ${pathWord(second!)}`
  if (method === 'remove') return `rm ${below(first)}`
  if (second !== 'before' && second !== 'after') throw new PyError('ValueError', 'Expected "before" or "after"')
  return `ins ${first} ${second} ${below(third!)}`
}

async function execute(
  ctx: FunctionContext,
  {
    context,
    lens,
    commands,
    load_path,
  }: { context: string | null; lens: string | null; commands: Value; load_path: Value },
): Promise<Record<string, Result>> {
  const place = context ?? ''
  const bare = Boolean(lens) && place !== ''
  const script = bare ? [`transform ${lens} incl ${place.replace(/^\/files/, '')}`, 'load'] : []
  for (const raw of iterate(commands ?? [])) {
    const command = str(raw)
    try {
      script.push(toolLine(parseAugeasCommand(command), place))
    } catch (error) {
      if (!(error instanceof PyError)) throw error
      if (error.message.startsWith('Command ')) return { retval: false, error: error.message }
      const words = command.includes(' ') ? command.slice(command.indexOf(' ') + 1) : command
      return { retval: false, error: `Invalid formatted command, see debug log for details: ${words}` }
    }
  }
  const { error } = await augtool(ctx, [...script, 'save'], { loadPath: load_path, bare })
  if (error === '') return { retval: true }
  const hint =
    lens && !lens.endsWith('.lns') ? `\nLenses are normally configured as "name.lns". Did you mean "${lens}.lns"?` : ''
  return { retval: false, error: `${error}${hint}` }
}

async function match(ctx: FunctionContext, path: string, session: Session): Promise<Map<string, string | null>> {
  return nodes((await augtool(ctx, [`match ${pathWord(path)}`], session)).lines)
}

async function get(ctx: FunctionContext, given: string, value: string, load_path: Value): Promise<Result> {
  const below = value ? `/${value.replaceAll(/^\/+|\/+$/g, '')}` : ''
  const path = given.replace(/\/+$/, '') + below
  const { lines, error } = await augtool(ctx, [`match ${pathWord(path)}`], { loadPath: load_path })
  if (error !== '') return { error }
  const found = [...nodes(lines).values()]
  return { [path]: found.length > 0 ? found[0]! : '' }
}

/** Set values from words such as `prefix=/files/etc/hosts 1/alias web`: paths and values alternate. */
async function setValues(ctx: FunctionContext, given: readonly Value[]): Promise<Result> {
  const option = (name: string): string | undefined => {
    const found = given.map(str).filter((word) => word.startsWith(`${name}=`))
    if (found.length > 1) throw misuse(`Only one '${name}=' value is permitted`)
    return found[0]?.slice(name.length + 1)
  }
  const loadPath = option('load_path') ?? null
  const prefix = option('prefix')
  const words = given.map(str).filter((word) => !/^(prefix|load_path)=/.test(word))
  if (words.length % 2 !== 0) throw misuse('Uneven number of path/value arguments')
  const script: string[] = []
  for (let at = 0; at < words.length; at += 2) {
    const path = words[at]!
    const whole = prefix === undefined ? path : `${prefix.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
    script.push(`set ${pathWord(whole)} ${quoted(words[at + 1]!)}`)
  }
  const { error } = await augtool(ctx, [...script, 'save'], { loadPath })
  if (error === '') return { retval: true }
  return error.includes('Too many matches')
    ? { retval: true, error: `Multiple values: ${error}` }
    : { retval: false, error }
}

async function remove(ctx: FunctionContext, path: string, loadPath: Value): Promise<Result> {
  const { lines, error } = await augtool(ctx, [`rm ${pathWord(path)}`, 'save'], { loadPath })
  const count = Number(/^rm : .* (-?\d+)$/m.exec(lines.join('\n'))?.[1] ?? -1)
  if (error !== '') return { retval: false, error, count }
  return { retval: true, count }
}

async function list(ctx: FunctionContext, given: string, loadPath: Value): Promise<Result> {
  const path = `${given.replace(/\/+$/, '')}/`
  const inner = await match(ctx, `${path}*/*`, { loadPath })
  const found: Record<string, Value> = {}
  for (const [node, value] of await match(ctx, `${path}*`, { loadPath })) {
    const name = node.startsWith(path) ? node.slice(path.length) : node
    const hasChildren = [...inner.keys()].some((child) => child.startsWith(`${node}/`))
    found[hasChildren ? `${name}/` : name] = value
  }
  return found
}

async function tree(ctx: FunctionContext, given: string, loadPath: Value): Promise<Result> {
  const path = given.replace(/\/+$/, '')
  const root = await match(ctx, path, { loadPath })
  const below = await match(ctx, `${path}//*`, { loadPath })
  return Object.fromEntries([[path, [...root.values()][0] ?? null], ...below])
}

const load_path = arg.any('Directories of further lenses: text with colons; another type is ignored', {
  optional: true,
})
const path = arg.string('Path of a node, such as `/files/etc/hosts`')

export default defineModule({
  name: 'augeas_cfg',
  doc: 'Read and change configuration files with Augeas.',
  virtual: 'augeas',
  when: async ({ host }) =>
    (await host.which('augtool')) !== undefined || 'Cannot load augeas_cfg module: augtool not installed',
  functions: {
    execute: changes({
      doc: 'Run commands of Augeas, and save the files.',
      example: 'augeas.execute /files/etc/redis/redis.conf commands=\'["set bind 0.0.0.0"]\'',
      args: {
        context: arg.text('Path that the commands are relative to', { optional: true }),
        lens: arg.text('Lens of the file of the context', { optional: true }),
        commands: arg.any('Commands (`set`, `setm`, `mv`, `ins` or `rm`) with their arguments: a list', {
          default: [],
        }),
        load_path,
      },
      run: execute,
      returns: ret.dict('`retval`, and `error` on failure'),
    }),
    get: reads({
      doc: 'Return the value of a node.',
      example: 'augeas.get /files/etc/hosts/1/ipaddr',
      args: { path, value: arg.text('Last part of the path', { default: '' }), load_path },
      run: (ctx, { path, value, load_path }) => get(ctx, path, value, load_path),
    }),
    setvalue: changes({
      doc: 'Set the values of nodes.',
      example: 'augeas.setvalue prefix=/files/etc/hosts 1/canonical localhost',
      args: { args: arg.rest('Paths and values in turn; `prefix=…` and `load_path=…` are options') },
      run: (ctx, { args }) => setValues(ctx, args),
    }),
    match: reads({
      doc: 'Return the nodes that a path matches.',
      example: 'augeas.match /files/etc/services/service-name ssh',
      args: { path, value: arg.any('Value that the nodes must have: text', { default: '' }), load_path },
      run: async (ctx, { path, value, load_path }) => {
        const found = [...(await match(ctx, path, { loadPath: load_path }))]
        return Object.fromEntries(found.filter(([, now]) => !truthy(value) || now === value))
      },
    }),
    remove: changes({
      doc: 'Remove the nodes that a path matches.',
      example: 'augeas.remove /files/etc/sysctl.conf/net.ipv4.ip_forward',
      args: { path, load_path },
      run: (ctx, args) => remove(ctx, args.path, args.load_path),
    }),
    ls: reads({
      doc: 'Return the child nodes of a path.',
      example: 'augeas.ls /files/etc/passwd',
      args: { path, load_path },
      run: (ctx, args) => list(ctx, args.path, args.load_path),
    }),
    tree: reads({
      doc: 'Return all nodes below a path.',
      example: 'augeas.tree /files/etc/',
      args: { path, load_path },
      run: (ctx, args) => tree(ctx, args.path, args.load_path),
    }),
  },
})
