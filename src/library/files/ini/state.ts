// Options and sections of INI files.
import { type Dict, iterate, PyError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, isHostError, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { entriesOf, optionsPresent } from './state/options-present.ts'

interface Place {
  name: string
  separator: string
  encoding: string | null
}

interface Request extends Place {
  sections: Value
}

/** Report a failure to read or write a file as the result of a state. */
const guarded =
  <W extends Place>(run: (ctx: StateContext, request: W) => Promise<StateReturn>) =>
  async (ctx: StateContext, request: W): Promise<StateReturn> => {
    try {
      return await run(ctx, request)
    } catch (error) {
      if (!isHostError(error)) throw error
      return { name: request.name, changes: {}, result: false, comment: error.message }
    }
  }

const where = ({ name, separator, encoding }: Place): Record<string, Value> => ({
  file_name: name,
  separator,
  encoding,
})

function foreseen(name: string, lines: readonly string[], changes: boolean): StateReturn {
  const comment = lines.join('') || 'No changes detected.'
  return { name, changes: {}, result: changes ? null : true, comment }
}

async function wouldRemoveOptions(ctx: StateContext, request: Request): Promise<StateReturn> {
  const lines: string[] = []
  let changes = false
  for (const [section, keys] of entriesOf(request.sections)) {
    const suffix = truthy(section) ? ` in section ${str(section)}` : ''
    if (Array.isArray(keys)) {
      const held = await ctx.call('ini.get_section', [], { ...where(request), section })
      for (const key of keys) {
        const there = truthy(held.get(key) ?? null)
        lines.push(there ? `Deleted key ${str(key)}${suffix}.\n` : `Key ${str(key)}${suffix} does not exist.\n`)
        changes ||= there
      }
      continue
    }
    const there = truthy(await ctx.call('ini.get_option', [], { ...where(request), section: null, option: section }))
    lines.push(there ? `Deleted key ${str(section)}.\n` : `Key ${str(section)} does not exist.\n`)
    changes ||= there
  }
  return foreseen(request.name, lines, changes)
}

async function optionsAbsent(ctx: StateContext, request: Request): Promise<StateReturn> {
  if (ctx.test) return wouldRemoveOptions(ctx, request)
  const changes: Dict = new Map()
  for (const [section, keys] of entriesOf(request.sections)) {
    if (keys === null) throw new PyError('TypeError', "'NoneType' object is not iterable")
    for (const key of iterate(keys)) {
      const value = await ctx.call('ini.remove_option', [], { ...where(request), section, option: key })
      if (!truthy(value)) continue
      if (Array.isArray(keys)) changes.set(section, ((changes.get(section) ?? new Map()) as Dict).set(key, value))
      else changes.set(section, value)
    }
  }
  return { name: request.name, changes, result: true, comment: outcome(changes) }
}

const outcome = (changes: Dict): string => (changes.size > 0 ? 'Changes take effect' : 'No anomaly detected')

async function sectionsPresent(ctx: StateContext, request: Request): Promise<StateReturn> {
  const wanted = truthy(request.sections) ? [...iterate(request.sections)] : []
  if (!ctx.test) {
    // Salt passes a keyword that its own function does not know, so this state never does anything
    const section = new Map<Value, Value>(wanted.map((name) => [name, new Map()]))
    const changes = await ctx.call('ini.set_option', [], { ...where(request), section })
    return { name: request.name, changes, result: true, comment: 'Changes take effect' }
  }
  const held = await ctx.call('ini.get_ini', [], where(request))
  const missing = wanted.filter((name) => !held.has(name))
  const lines = wanted.map((name) =>
    held.has(name) ? `Section unchanged ${str(name)}.\n` : `Created new section ${str(name)}.\n`,
  )
  return foreseen(request.name, lines, missing.length > 0)
}

async function sectionsAbsent(ctx: StateContext, request: Request): Promise<StateReturn> {
  const unwanted = truthy(request.sections) ? [...iterate(request.sections)] : []
  if (ctx.test) {
    const held = await ctx.call('ini.get_ini', [], where(request))
    const lines = unwanted.map((name) =>
      held.has(name) ? `Deleted section ${str(name)}.\n` : `Section ${str(name)} does not exist.\n`,
    )
    return foreseen(
      request.name,
      lines,
      unwanted.some((name) => held.has(name)),
    )
  }
  const changes: Dict = new Map()
  for (const section of unwanted) {
    const held = await ctx.call('ini.remove_section', [], { ...where(request), section })
    if (truthy(held)) changes.set(section, held)
  }
  return { name: request.name, changes, result: true, comment: outcome(changes) }
}

const name = arg.string('Path of the file')
const separator = arg.string('Separator of an option and its value', { default: '=' })
const encoding = arg.text('Encoding of the file; by default UTF-8', { optional: true })
const sections = (doc: string) => arg.any(doc, { optional: true })

export default defineState({
  name: 'ini_manage',
  virtual: 'ini',
  doc: 'Manage options and sections of INI files.',
  functions: {
    options_present: state({
      doc: 'Ensure that options have values.',
      args: {
        name,
        sections: sections('Dicts of options by section; values of options outside of sections'),
        separator,
        strict: arg.boolean('Remove all other options and sections', { default: false }),
        encoding,
        no_spaces: arg.boolean('Write the separator without spaces', { default: false }),
      },
      run: guarded(optionsPresent),
    }),
    options_absent: state({
      doc: 'Ensure that options do not exist.',
      args: { name, sections: sections('Lists of options by section: a dict'), separator, encoding },
      run: guarded(optionsAbsent),
    }),
    sections_present: state({
      doc: 'Ensure that sections exist.',
      args: { name, sections: sections('Names of sections: a list'), separator, encoding },
      run: guarded(sectionsPresent),
    }),
    sections_absent: state({
      doc: 'Ensure that sections do not exist.',
      args: { name, sections: sections('Names of sections: a list'), separator, encoding },
      run: guarded(sectionsAbsent),
    }),
  },
})
