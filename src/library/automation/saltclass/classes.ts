// saltclass: a file for each node lists classes; a class has pillars, states and further classes. Files are Jinja and
// YAML. Templates see the data so far as `__pillar__`.
import { type Dict, deepCopy, equals, fnmatch, isDict, isList, str, traverse, type Value } from '../../../data/mod.ts'
import { baseName, type DataSourceContext, dirName, loadYaml, plainTemplates } from '../../../sdk/mod.ts'

export interface Node {
  classes: string[]
  states: Value[]
  pillars: Dict
  environment: Value
}

interface Lookup {
  ctx: DataSourceContext
  minionId: string
  path: string
  /** Pillar of other sources; templates see it as `__pillar__`, merged with the data so far. */
  pillar: Dict
}

/** Return the merged data of the node and its classes. */
export async function readNode(lookup: Lookup): Promise<Node> {
  return new NodeReader(lookup).read()
}

class NodeReader {
  private readonly lookup: Lookup
  private readonly pillar: Dict
  private files: string[] = []
  private readonly known = new Map<string, Dict>()

  constructor(lookup: Lookup) {
    this.lookup = lookup
    this.pillar = deepCopy(lookup.pillar) as Dict
  }

  async read(): Promise<Node> {
    const { ctx, minionId, path } = this.lookup
    this.files = await filesBelow(ctx, `${path}/classes`)
    const nodes = await filesBelow(ctx, `${path}/nodes`)
    const file = nodes.filter((each) => baseName(each) === `${minionId}.yml`).at(-1)
    if (file === undefined) ctx.log('warning', `${minionId}: Node definition not found below ${path}/nodes`)
    const node = file === undefined ? new Map<Value, Value>() : await this.file(file)
    mergeInto(this.pillar, dictAt(node, 'pillars'))
    const classes = await this.expanded(namesAt(node, 'classes'))
    const all = [...classes.map((name) => this.known.get(name)!), node]
    const pillars: Dict = new Map()
    for (const each of all) mergeInto(pillars, dictAt(each, 'pillars'))
    const environments = all.filter((each) => each.has('environment')).map((each) => each.get('environment')!)
    return {
      classes,
      states: onceEach(all.flatMap((each) => listAt(each, 'states'))),
      pillars: expandVariables(pillars),
      environment: environments.at(-1) ?? '',
    }
  }

  /** Return classes in merge order: the classes that a class needs precede it, and each class occurs once. */
  private async expanded(wanted: readonly string[]): Promise<string[]> {
    const order: string[] = []
    const visit = async (names: readonly string[]): Promise<void> => {
      for (const name of this.matching(names)) {
        if (this.known.has(name)) {
          if (!order.includes(name)) order.push(name)
          continue
        }
        const found = await this.classFile(name)
        this.known.set(name, found)
        mergeInto(this.pillar, dictAt(found, 'pillars'))
        await visit(namesAt(found, 'classes'))
        if (!order.includes(name)) order.push(name)
      }
    }
    await visit(wanted)
    return order
  }

  /** Return the classes that names with wildcards mean. */
  private matching(names: readonly string[]): string[] {
    const found = new Set<string>()
    for (const name of names) {
      const matches = this.files.filter((file) => this.pathsOf(name).some((pattern) => matchesPath(file, pattern)))
      if (matches.length === 0) {
        this.lookup.ctx.log('warning', `${name}: Class globbing did not yield any results`)
      }
      for (const file of matches.sort()) found.add(this.nameOf(file))
    }
    return [...found]
  }

  /** Return the files that may hold a class. */
  private pathsOf(name: string): string[] {
    const base = `${this.lookup.path}/classes`
    const nested = name.replaceAll('.', '/')
    return [`${base}/${name}.yml`, `${base}/${nested}.yml`, `${base}/${nested}/init.yml`]
  }

  private nameOf(file: string): string {
    const inside = file.slice(`${this.lookup.path}/classes/`.length, -'.yml'.length)
    return inside.replaceAll('/', '.').replace(/\.init$/, '')
  }

  private async classFile(name: string): Promise<Dict> {
    const path = this.pathsOf(name).find((each) => this.files.includes(each))
    return path === undefined ? new Map() : this.file(path)
  }

  private async file(path: string): Promise<Dict> {
    const { ctx, minionId } = this.lookup
    const templates = await plainTemplates({
      host: ctx.host,
      opts: ctx.opts,
      folder: dirName(path),
      globals: { __opts__: ctx.opts, __grains__: ctx.grains, __pillar__: this.pillar, minion_id: minionId },
      functions: ctx.functions,
    })
    const content = await loadYaml(await templates.render(path))
    return isDict(content) ? content : new Map()
  }
}

/** Match a path with wildcards, which do not reach over slashes. */
function matchesPath(path: string, pattern: string): boolean {
  const [parts, wanted] = [path.split('/'), pattern.split('/')]
  return parts.length === wanted.length && parts.every((part, index) => fnmatch(part, wanted[index]!))
}

async function filesBelow({ host }: DataSourceContext, folder: string): Promise<string[]> {
  if ((await host.stat(folder))?.type !== 'directory') return []
  const found: string[] = []
  for (const name of (await host.list(folder)).sort()) {
    const path = `${folder}/${name}`
    const kind = (await host.stat(path))?.type
    if (kind === 'directory') found.push(...(await filesBelow({ host } as DataSourceContext, path)))
    else if (kind === 'file') found.push(path)
  }
  return found
}

/** Drop the items that came before. */
const onceEach = (items: readonly Value[]): Value[] =>
  items.filter((item, index) => items.findIndex((other) => equals(other, item)) === index)

const dictAt = (data: Dict, key: string): Dict => {
  const value = data.get(key) ?? null
  return isDict(value) ? value : new Map()
}

const listAt = (data: Dict, key: string): Value[] => {
  const value = data.get(key) ?? null
  return isList(value) ? [...value] : []
}

const namesAt = (data: Dict, key: string): string[] => listAt(data, key).map(str)

/** Merge dicts; lists are joined, or replaced if the new list begins with `^`. */
function mergeInto(target: Dict, more: Dict): void {
  for (const [key, value] of more) {
    const known = target.get(key)
    if (isList(value) && value[0] === '^') target.set(key, value.slice(1))
    else if (known !== undefined && isList(known) && isList(value)) target.set(key, [...known, ...value])
    else if (known !== undefined && isDict(known) && isDict(value)) {
      const copy = new Map(known)
      mergeInto(copy, value)
      target.set(key, copy)
    } else if (known === undefined || !equals(known, value)) target.set(key, value)
  }
}

const REFERENCE = /(\\?)\$\{(.*?)\}/g
const WHOLE = /^\$\{([^}]*)\}$/
/** Limit of chained references between values. */
const MOST_STEPS = 20

/** Replace `${a:b}` in texts by the value at that path; `\${` stays, without its backslash. */
function expandVariables(pillars: Dict): Dict {
  const valueAt = (path: string): Value | undefined => {
    const found = traverse(pillars, path, { default: null })
    return found === null ? undefined : found
  }
  const textWith = (text: string, steps: number): Value => {
    const whole = WHOLE.exec(text)
    const only = whole ? valueAt(whole[1]!) : undefined
    if (only !== undefined && typeof only !== 'string') return steps > 0 ? expand(only, steps - 1) : only
    const next = text.replace(REFERENCE, (written, mark: string, path: string) => {
      if (mark !== '') return written
      const value = valueAt(path)
      return value === undefined || isDict(value) || isList(value) ? written : str(value)
    })
    return next === text || steps === 0 ? text : textWith(next, steps - 1)
  }
  const expand = (value: Value, steps: number): Value => {
    if (typeof value === 'string') {
      const filled = textWith(value, steps)
      return typeof filled === 'string' ? filled.replaceAll('\\${', '${') : filled
    }
    if (isList(value)) return value.map((item) => expand(item, steps))
    if (isDict(value)) return new Map([...value].map(([key, item]) => [key, expand(item, steps)]))
    return value
  }
  return expand(pillars, MOST_STEPS) as Dict
}
