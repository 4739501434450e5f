// Options of an INI file with given values; with `strict`, no others.
import { type Dict, dictEntries, dictFrom, PyError, str, truthy, typeName, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'

interface Request {
  name: string
  sections: Value
  separator: string
  strict: boolean
  encoding: string | null
  no_spaces: boolean
}

/** Data that the steps share. */
interface Work {
  ctx: StateContext
  request: Request
  place: Record<string, Value>
  /** Options outside of sections, and sections, in their original form. */
  top: Dict
  sections: Dict
  changes: Dict
  lines: string[]
  foreseen: boolean
}

/** Return options by section, in their original form. */
export function entriesOf(sections: Value): [Value, Value][] {
  if (!truthy(sections)) return []
  if (sections instanceof Map) return [...dictEntries(sections)]
  throw new PyError('AttributeError', `'${typeName(sections)}' object has no attribute 'items'`)
}

function note(work: Work, line: string): void {
  work.lines.push(`${line}.\n`)
  work.foreseen = true
}

const removed = (before: Value): Dict => dictFrom({ before, after: null })

const setOptions = async ({ ctx, request, place }: Work, sections: Dict): Promise<Dict> =>
  await ctx.call('ini.set_option', [], { ...place, sections, no_spaces: request.no_spaces })

async function topLevel(work: Work, options: Dict): Promise<void> {
  if (!work.ctx.test) {
    for (const [key, change] of await setOptions(work, options)) work.changes.set(key, change)
    return
  }
  for (const [option, value] of dictEntries(options)) {
    const held = work.top.get(option)
    if (held !== undefined && str(held) === str(value)) work.lines.push(`Unchanged key ${str(option)}.\n`)
    else note(work, `Changed key ${str(option)}`)
  }
}

async function removeOthers(work: Work, options: Dict, bodies: Dict): Promise<void> {
  const { ctx, place, top, sections, changes } = work
  for (const [option, before] of top) {
    if (options.has(option)) continue
    if (ctx.test) note(work, `Removed key ${str(option)}`)
    else {
      await ctx.call('ini.remove_option', [], { ...place, section: null, option })
      changes.set(option, removed(before))
    }
  }
  for (const [section, before] of sections) {
    if (bodies.has(section)) continue
    if (ctx.test) note(work, `Removed section ${str(section)}`)
    else {
      await ctx.call('ini.remove_section', [], { ...place, section })
      changes.set(section, removed(before))
    }
  }
}

async function oneSection(work: Work, section: Value, body: Dict): Promise<void> {
  const { ctx, place, changes } = work
  const held = work.sections.get(section)
  const original: Dict = held instanceof Map ? held : new Map()
  const suffix = truthy(section) ? ` in section ${str(section)}` : ''
  const changed: Dict = new Map()
  for (const [option, before] of work.request.strict ? original : []) {
    if (body.has(option)) continue
    if (ctx.test) note(work, `Deleted key ${str(option)}${suffix}`)
    else {
      await ctx.call('ini.remove_option', [], { ...place, section, option })
      changed.set(option, removed(before))
    }
  }
  if (ctx.test) {
    for (const [option, value] of dictEntries(body)) {
      const before = original.get(option)
      if (before !== undefined && str(before) === str(value))
        work.lines.push(`Unchanged key ${str(option)}${suffix}.\n`)
      else note(work, `Changed key ${str(option)}${suffix}`)
    }
    return
  }
  const updated = (await setOptions(work, new Map([[section, body]]))).get(section)
  for (const [option, change] of updated instanceof Map ? updated : []) changed.set(option, change)
  if (changed.size > 0) changes.set(section, changed)
}

export async function optionsPresent(ctx: StateContext, request: Request): Promise<StateReturn> {
  const { name, sections, separator, encoding } = request
  const place = { file_name: name, separator, encoding }
  const work: Work = {
    ctx,
    request,
    place,
    top: new Map(),
    sections: new Map(),
    changes: new Map(),
    lines: [],
    foreseen: false,
  }
  if (truthy(sections)) {
    const isBody = ([, body]: [Value, Value]): boolean => body instanceof Map
    const entries = entriesOf(sections)
    const options: Dict = new Map(entries.filter((entry) => !isBody(entry)))
    const bodies: Dict = new Map(entries.filter(isBody))
    for (const [key, value] of await ctx.call('ini.get_ini', [], place)) {
      if (value instanceof Map) work.sections.set(key, value)
      else work.top.set(key, value)
    }
    await topLevel(work, options)
    if (request.strict) await removeOthers(work, options, bodies)
    for (const [section, body] of bodies) await oneSection(work, section, body as Dict)
  } else if (!ctx.test) work.changes = await setOptions(work, new Map())
  if (ctx.test) return { name, changes: {}, result: work.foreseen ? null : true, comment: work.lines.join('') }
  const changes: Dict = new Map([...work.changes].filter(([, body]) => truthy(body)))
  return { name, changes, result: true, comment: changes.size > 0 ? 'Changes take effect' : 'No anomaly detected' }
}
